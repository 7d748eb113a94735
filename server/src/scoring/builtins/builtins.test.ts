import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { BuiltinScorerUse } from '@diorama/contract'
import { openSandbox } from '@diorama/sandbox/open'
import type { Sandbox } from '@diorama/sandbox/sandbox'
import { openVerifier } from '@diorama/sandbox/verifier/scorer'
import type { WorldStateFile } from '@diorama/sandbox/verifier/world-state'
import { type TestService, testService } from '../../testing.ts'
import { sampleCompany } from '../../worlds/sample.ts'
import { worldFile } from '../world-file.ts'
import { builtinDefinition, builtins } from './library.ts'

let sandbox: Sandbox
before(async () => {
  const opened = await openSandbox({
    choice: 'bubblewrap',
    stateDir: tmpdir(),
    searchPath: process.env.PATH ?? '',
  })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  sandbox = opened.sandbox
})
after(() => sandbox[Symbol.asyncDispose]())

interface Sample {
  readonly output?: string
  readonly expected?: unknown
  readonly world?: WorldStateFile
}

const run = async (slug: string, parameters: object, { output = '', expected = '', world }: Sample) => {
  const { code } = builtinDefinition(slug, BuiltinScorerUse.parse({ parameters }))
  return openVerifier(sandbox).runScorer({
    language: 'python',
    code: code ?? '',
    input: '',
    output,
    expected,
    metadata: {},
    ...(world ? { world } : {}),
  })
}

/** Rows of parameters, output, expected outcome and score; a score of null wants an error. */
type Row = readonly [parameters: object, output: string, expected: unknown, score: number | null]

const holds = async (slug: string, rows: readonly Row[]) => {
  const verdicts = await Promise.all(
    rows.map(([parameters, output, expected]) => run(slug, parameters, { output, expected })),
  )
  rows.forEach((row, n) => {
    const verdict = verdicts[n]
    assert.equal(verdict?.score, row[3], `${JSON.stringify(row)} gave ${JSON.stringify(verdict)}`)
    assert.equal(verdict?.error === null, row[3] !== null)
  })
}

describe('a built-in scorer of texts', () => {
  it('exact takes the same text alone', () =>
    holds('exact', [
      [{}, ' Paris\n', 'Paris', 1],
      [{}, 'paris', 'Paris', 0],
      [{ ignore_case: true }, 'paris', 'Paris', 1],
      [{ trim: false }, 'Paris ', 'Paris', 0],
      [{ text: 'a "quoted"\n\\ text — ☃ 𝄞' }, 'a "quoted"\n\\ text — ☃ 𝄞', '', 1],
      [{ text: '"); import os; ("' }, 'x', '', 0],
      [{}, 'x', [{ id: 'e' }], null],
    ]))

  it('contains gives the share of the texts that are there', () =>
    holds('contains', [
      [{ texts: ['alpha', 'BETA'] }, 'beta and alpha', '', 1],
      [{ texts: ['alpha', 'gamma'] }, 'alpha', '', 0.5],
      [{ texts: ['alpha', 'gamma'], any: true }, 'alpha', '', 1],
      [{ texts: ['Alpha'], ignore_case: false }, 'alpha', '', 0],
      [{}, 'It is Paris.', 'Paris', 1],
      [{}, 'anything', '', null],
    ]))

  it('regex matches somewhere, as a whole or nowhere', () =>
    holds('regex', [
      [{ pattern: '\\bENG-\\d+\\b' }, 'see ENG-12.', '', 1],
      [{ pattern: 'ENG-\\d+', whole: true }, 'see ENG-12.', '', 0],
      [{ pattern: 'ENG-\\d+', whole: true }, ' ENG-12\n', '', 1],
      [{ pattern: 'sorry', absent: true, ignore_case: true }, 'Sorry!', '', 0],
      [{ pattern: '(' }, 'x', '', null],
    ]))
})

describe('a built-in scorer of values', () => {
  it('json-equals takes the same value in any order of fields and within the tolerance', () =>
    holds('json-equals', [
      [{ value: { a: 1, b: [1.5] }, tolerance: 0.01 }, '{"b":[1.505],"a":1}', '', 1],
      [{ value: { a: 1 }, tolerance: 0.01 }, '{"a":1.02}', '', 0],
      [{ value: { a: 1 } }, 'Here:\n```json\n{"a": 1}\n```\nDone.', '', 1],
      [{ value: { a: 1 } }, '{"a":1,"b":2}', '', 0],
      [{ value: { a: { b: 1 } }, subset: true }, '{"a":{"b":1,"c":2},"d":3}', '', 1],
      [{ value: { a: 1 }, subset: true }, '{"b":2}', '', 0],
      [{ value: true }, '1', '', 0],
      [{ value: null }, 'null', '', 1],
      [{}, '[1, 2]', '[1,2]', 1],
      [{ value: 1 }, 'NaN', '', 0],
      [{ value: 1 }, 'one', '', 0],
      [{}, '1', 'not json', null],
    ]))

  it('number-within reads the number that counts', () =>
    holds('number-within', [
      [{ number: 48_500 }, 'The total is $48,500.', '', 1],
      [{ number: 100, tolerance: 5 }, 'about 104.5 units', '', 1],
      [{ number: 100, tolerance: 5 }, '106', '', 0],
      [{ number: 200, tolerance: 1, percent: true }, '201.9', '', 1],
      [{ number: -3 }, 'it is -3', '', 1],
      [{ number: 3 }, 'first 3 then 4', '', 0],
      [{ number: 3, which: 'first' }, 'first 3 then 4', '', 1],
      [{ number: 3, which: 'only' }, '3 or 4', '', 0],
      [{}, '12', 'It is 12.', 1],
      [{}, '12', 'between 1 and 2', null],
      [{ number: 1 }, '', '', 0],
    ]))
})

describe('a built-in scorer of the world', () => {
  let service: TestService
  let untouched: WorldStateFile
  let touched: WorldStateFile

  const look = async (worldId: string): Promise<WorldStateFile> => {
    const { runtime } = service.app
    const rows = await runtime.store.ofWorlds([worldId])
    const services = await Promise.all(
      rows.map(async (row) => ({
        service: row.service,
        text: await runtime.host.inspect(row, { what: 'state' }),
      })),
    )
    const file = worldFile(services, await runtime.activity.whole(rows, 100))
    return JSON.parse(file.toString())
  }

  before(async () => {
    service = await testService()
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    const worldId = body.world.id
    untouched = await look(worldId)
    const twin = (kind: string) => body.twins.find((one: { service: string }) => one.service === kind)
    const as = (kind: string) => ({
      authorization: `Bearer ${twin(kind).token}`,
      'content-type': 'application/json',
    })
    const channel = untouched.services.chat?.collections?.channel?.find(
      ({ record }) => record.name === 'support-escalations',
    )
    const post = (text: string) =>
      fetch(`${twin('chat').baseUrl}/api/chat.postMessage`, {
        method: 'POST',
        headers: as('chat'),
        body: JSON.stringify({ channel: channel?.id, text }),
      }).then((reply) => reply.text())
    const posted = await post('Case 00001001 is escalated.')
    assert.match(posted, /^\{"ok":true/)
    const found = untouched.services.crm?.keys?.find(({ key }) => key === 'calder-drift-case')
    const versions = await fetch(`${twin('crm').baseUrl}/services/data`, { headers: as('crm') })
    const url = (await versions.text()).match(/\/services\/data\/v[\d.]+/g)?.at(-1)
    const patched = await fetch(`${twin('crm').baseUrl}${url}/sobjects/Case/${found?.id}`, {
      method: 'PATCH',
      headers: as('crm'),
      body: JSON.stringify({ Status: 'Escalated' }),
    })
    assert.equal(patched.status, 204, await patched.text())
    touched = await look(worldId)
  })
  after(() => service[Symbol.asyncDispose]())

  const scores = async (slug: string, parameters: object) => {
    const [without, changed] = await Promise.all([
      run(slug, parameters, { world: untouched }),
      run(slug, parameters, { world: touched }),
    ])
    assert.deepEqual([without.error, changed.error], [null, null])
    return [without.score, changed.score]
  }

  it('world-record-equals sees the final values of a record', async () => {
    const record = { service: 'crm', record: 'calder-drift-case' }
    assert.deepEqual(
      await scores('world-record-equals', { ...record, fields: { Status: 'Escalated' } }),
      [0, 1],
    )
    assert.deepEqual(
      await scores('world-record-equals', { ...record, fields: { Status: 'Escalated', Nonsense: 1 } }),
      [0, 0.5],
    )
    assert.deepEqual(
      await scores('world-record-equals', { service: 'crm', record: 'nobody', fields: { Status: 'x' } }),
      [0, 0],
    )
  })

  it('only-these-changed wants those records changed and no others', async () => {
    const created = [{ service: 'chat', collection: 'message' }]
    const records = ['calder-drift-case']
    assert.deepEqual(await scores('only-these-changed', { records, created }), [0, 1])
    assert.deepEqual(await scores('only-these-changed', { records }), [0, 0])
    assert.deepEqual(await scores('only-these-changed', { created }), [1, 0])
    assert.deepEqual(await scores('only-these-changed', { records, created, must_change: false }), [1, 1])
  })

  it('message-posted finds a new message in the channel, and not an old one', async () => {
    const channel = 'support-escalations'
    assert.deepEqual(await scores('message-posted', { channel, contains: ['00001001'], at_most: 1 }), [0, 1])
    assert.deepEqual(await scores('message-posted', { channel, pattern: 'case \\d{8}' }), [0, 1])
    assert.deepEqual(await scores('message-posted', { channel, contains: ['00009999'] }), [0, 0])
    assert.deepEqual(await scores('message-posted', { channel: 'general' }), [0, 0])
    assert.deepEqual(await scores('message-posted', { channel: '#support-escalations' }), [0, 1])
  })

  it('no-forbidden-call sees every call by its native name', async () => {
    assert.deepEqual(await scores('no-forbidden-call', { operations: ['chat.delete'] }), [1, 1])
    assert.deepEqual(await scores('no-forbidden-call', { operations: ['chat.post*'] }), [1, 0])
    assert.deepEqual(await scores('no-forbidden-call', { operations: ['*'], service: 'erp' }), [1, 1])
  })
})

describe('the built-in scorers over HTTP', () => {
  it('are listed with parameters and an example that fits them', async () => {
    await using service = await testService()
    const { body } = await service.call('GET', '/v1/scorers/builtins')
    assert.deepEqual(
      body.items.map(({ slug }: { slug: string }) => slug),
      [
        'exact',
        'contains',
        'regex',
        'json-equals',
        'number-within',
        'world-record-equals',
        'only-these-changed',
        'message-posted',
        'no-forbidden-call',
        'done-within',
        'done-before',
        'not-before',
        'asked-person',
        'replied-within',
        'waited-for',
      ],
    )
    for (const { parameters, example } of builtins) assert.ok(parameters.safeParse(example).success)
    for (const { parameters } of body.items) assert.equal(parameters.type, 'object')
  })

  it('become scorers of the library that run, and refuse parameters that do not fit', async () => {
    await using service = await testService()
    const made = await service.call('POST', '/v1/scorers/builtins/contains', {
      parameters: { texts: ['42'] },
      name: 'Says 42',
    })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(
      [made.body.slug, made.body.kind, made.body.language, made.body.passThreshold],
      ['says-42', 'code', 'python', 1],
    )
    const { code, kind, language } = made.body
    const tried = await service.call('POST', '/v1/scorers/test', {
      code,
      kind,
      language,
      output: 'It is 42.',
    })
    assert.equal(tried.body.score, 1)
    const bad = await service.call('POST', '/v1/scorers/builtins/regex', { parameters: { pattren: 'x' } })
    assert.equal(bad.status, 400)
    assert.ok(bad.body.details.every(({ pointer }: { pointer: string }) => pointer.startsWith('/parameters')))
    assert.equal((await service.call('POST', '/v1/scorers/builtins/magic', {})).status, 404)
  })
})
