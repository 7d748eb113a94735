import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'

/** Node loads its fetch when it is first used, so this is looked at in a fresh process. */
const program = `
import { patientFetch } from ${JSON.stringify(new URL('./patient-fetch.ts', import.meta.url).href)}
globalThis.fetch = async (input, init) => {
  console.log(input, init.method, typeof init.dispatcher.dispatch)
}
await patientFetch('http://127.0.0.1:1/', { method: 'POST' })
`

it('the first request of a process waits for its headers as the later ones do', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  assert.equal(stdout, 'http://127.0.0.1:1/ POST function\n')
})
