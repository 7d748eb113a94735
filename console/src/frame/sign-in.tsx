import { type FormEvent, useState } from 'react'
import { signIn } from '../api.ts'
import { queryClient } from '../ask.ts'
import { Failure } from '../parts/states.tsx'
import { Brand } from './brand.tsx'

/** The door: an API key, which this page forgets as soon as the service has it. */
export const SignIn = () => {
  const [key, setKey] = useState('')
  const [error, setError] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const enter = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await signIn(key.trim())
      setKey('')
      await queryClient.resetQueries()
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="door">
      <form className="door-form" onSubmit={(event) => void enter(event)}>
        <Brand size={36} />
        <h1>Diorama</h1>
        <p className="quiet">
          Simulated companies for finding out whether an agent can be trusted with real company systems.
        </p>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="dk_…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          required
        />
        <button type="submit" className="button is-primary" disabled={busy || key.trim() === ''}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
        {error ? <Failure error={error} /> : null}
        <p className="hint">
          On its first start the service prints a key and saves it in the <code>api-key</code> file of its
          data folder. You stay signed in for twelve hours.
        </p>
      </form>
    </main>
  )
}
