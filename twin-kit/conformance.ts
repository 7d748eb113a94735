import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalJson } from './kernel/canonical.ts'
import { type Changes, invert } from './kernel/diff.ts'
import { Instance } from './kernel/instance.ts'
import { compileSeed, freezeSeed, tablesOf } from './kernel/seed.ts'
import { type AnyTwin, type Company, integration, type Step, type TwinRequest } from './kernel/twin.ts'
import { signInPage } from './wires/mcp/authorization.ts'

export interface Fixture {
  readonly section: unknown
  readonly company: Company
  /** A request that reaches the operation, with this credential or none. Undefined where it cannot be reached on its own. */
  readonly request: (operation: string, credential: string | undefined) => TwinRequest | undefined
  /** Whether an answer is the vendor's own refusal of a missing credential. */
  readonly refuses: (status: number, body: string) => boolean
  /** Operations that the real service answers without a credential. */
  readonly open?: readonly string[]
  /** Controls with their inputs that make the twin send what the script causes; left out where it sends nothing. */
  readonly controls?: readonly (readonly [control: string, input: unknown])[]
  /** At least two requests that change something, in order, with the twin's own token. */
  readonly script: (credential: string) => readonly TwinRequest[]
}

/** The promises that the kernel makes for every twin. Call it at the top of a twin's test file. */
export const conforms = (twin: AnyTwin, fixture: Fixture): void => {
  const compile = () => compileSeed(twin, fixture.section, fixture.company)
  const frozen = freezeSeed(twin, compile().seed)
  const start = (strict = true) => {
    const bare = new Instance({ seed: frozen, principals: [] })
    const token = twin.token(integration, 'c0ffee00c0ffee00c0ffee00c0ffee00', bare.tables)
    return {
      instance: new Instance({ seed: frozen, principals: [{ subject: integration, token }], strict }),
      token,
    }
  }
  const at = (n: number) => fixture.company.clock + n * 1_000
  const steps = (instance: Instance, token: string): Step[] =>
    fixture.script(token).flatMap((request, n) => {
      const { due, step, failure } = instance.handle(request, at(n))
      assert.equal(failure, undefined, String((failure as Error)?.stack))
      return due ? [due, step] : [step]
    })
  const run = (instance: Instance, token: string): Changes[] =>
    steps(instance, token).map(({ changes }) => changes)

  describe(`the ${twin.kind} twin keeps the kernel's promises:`, () => {
    it('the same section compiles to the same bytes', () => {
      assert.equal(canonicalJson(compile().seed), canonicalJson(compile().seed))
      assert.equal(compile().sha256, compile().sha256)
    })

    it('every seeded row fits its table', () => {
      for (const [name, spec] of Object.entries(tablesOf(twin)))
        for (const row of frozen.seed.tables[name] ?? []) assert.doesNotThrow(() => spec.row.parse(row), name)
      for (const { collection, id } of frozen.seed.keys)
        assert.ok(frozen.tables[collection]?.rows.has(id), `${collection} ${id}`)
    })

    it('the same calls lead to the same state and the same answers', () => {
      const [a, b] = [start(), start(false)]
      assert.deepEqual(run(a.instance, a.token), run(b.instance, b.token))
      assert.equal(a.instance.digest(), b.instance.digest())
    })

    it('the same calls emit the same, each by its own channel and with an id that no other has', () => {
      const [a, b] = [start(), start(false)].map(({ instance, token }) => {
        for (const [control, input] of fixture.controls ?? [])
          instance.control(control, input, { at: at(0), baseUrl: 'http://twin.example' })
        return steps(instance, token).flatMap(({ emissions }) => emissions)
      })
      assert.deepEqual(a, JSON.parse(JSON.stringify(b)))
      assert.equal(new Set(a?.map(({ id }) => id)).size, a?.length)
      for (const emission of a ?? []) {
        const channel = twin.channels?.[emission.channel]
        assert.equal(channel?.transport === 'socket', emission.url === null)
        const attempt = { number: 1, at: at(0) }
        assert.deepEqual(channel?.request(emission, attempt), channel?.request(emission, attempt))
      }
      assert.equal((a?.length ?? 0) > 0, fixture.controls !== undefined)
    })

    it('the script changes something', () => {
      const { instance, token } = start()
      const untouched = instance.digest()
      run(instance, token)
      assert.notEqual(instance.digest(), untouched)
    })

    it('a snapshot restores to the same state, and goes on in the same way', () => {
      const a = start()
      run(a.instance, a.token)
      const b = start()
      b.instance.restore(JSON.parse(JSON.stringify(a.instance.snapshot())))
      assert.equal(b.instance.digest(), a.instance.digest())
      run(a.instance, a.token)
      run(b.instance, b.token)
      assert.equal(b.instance.digest(), a.instance.digest())
    })

    it('recorded changes lead to the same state, and inverted they lead back', () => {
      const a = start()
      const untouched = a.instance.digest()
      const changes = run(a.instance, a.token)
      const b = start()
      for (const step of changes) b.instance.apply(JSON.parse(JSON.stringify(step)))
      assert.equal(b.instance.digest(), a.instance.digest())
      for (const step of changes.toReversed()) b.instance.apply(invert(step))
      assert.equal(b.instance.digest(), untouched)
    })

    it('two instances never see each other', () => {
      const [a, b] = [start(), start()]
      const untouched = b.instance.digest()
      run(a.instance, a.token)
      assert.equal(b.instance.digest(), untouched)
    })

    it('every operation refuses a missing credential in the words of the service', () => {
      for (const operation of Object.keys(twin.operations)) {
        const request = fixture.request(operation, undefined)
        if (!request || fixture.open?.includes(operation)) continue
        const { step, failure } = start().instance.handle(request, at(0))
        assert.equal(failure, undefined, `${operation}: ${String((failure as Error)?.stack)}`)
        assert.equal(step.changes.length, 0, operation)
        const { status, body } = step.reply
        assert.ok(fixture.refuses(status, Buffer.from(body).toString()), `${operation}: ${status} ${body}`)
      }
    })

    it('no read changes a row, and no operation fails as a bug', () => {
      for (const [operation, { effect }] of Object.entries(twin.operations)) {
        const { instance, token } = start()
        const request = fixture.request(operation, token)
        if (!request) continue
        const { step, failure } = instance.handle(request, at(0))
        assert.equal(failure, undefined, `${operation}: ${String((failure as Error)?.stack)}`)
        if (effect === 'read') assert.deepEqual(step.changes, [], operation)
      }
    })

    it('what is not emulated is answered, recorded and counted', () => {
      for (const { operation, status } of twin.coverage) {
        if (status !== 'not emulated') continue
        const { instance, token } = start()
        const request = mcpRequest(operation, token) ?? fixture.request(operation, token)
        if (!request) continue
        const { step, failure } = instance.handle(request, at(0))
        assert.equal(failure, undefined, operation)
        assert.equal(step.notEmulated.length, 1, operation)
      }
    })

    it('coverage names every operation once', () => {
      const named = twin.coverage.map(({ operation }) => operation)
      assert.equal(new Set(named).size, named.length)
      for (const operation of Object.keys(twin.operations)) assert.ok(named.includes(operation), operation)
    })

    it('every person has an identity and a working native id', () => {
      const { instance } = start()
      const subjects = twin.identities(instance.tables).map(({ subject }) => subject)
      for (const { handle } of fixture.company.people) assert.ok(subjects.includes(handle), handle)
    })
  })
}

/** The request for an entry of the coverage that belongs to the twin's face in the Model Context Protocol. */
const mcpRequest = (operation: string, credential: string): TwinRequest | undefined => {
  const name = /^tools\/call (.+)$/.exec(operation)?.[1]
  if (name === undefined && operation !== signInPage) return undefined
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
  return {
    method: name === undefined ? 'GET' : 'POST',
    path: name === undefined ? '/mcp/oauth/authorize' : '/mcp',
    query: '',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: name === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(message)),
    baseUrl: 'http://twin.example',
  }
}
