import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { allRoutes, ErrorBody, type RouteSpec } from '@diorama/contract'
import fc from 'fast-check'
import { type Called, type TestService, testService } from '../testing.ts'

// Every route of the table, and so every route that is added to it, is fuzzed with random input.
// A failure prints the seed and the smallest input; `fc.assert(…, { seed, path })` runs it again.

const table: readonly (readonly [name: string, route: RouteSpec])[] = Object.entries(allRoutes)
const runsPerRoute = 10

/** Streams begin to answer at once as well; their answer is looked at no further. What takes longer is lost. */
const patienceMs = 30_000

let service: TestService
let records: Readonly<Record<string, readonly string[]>>
before(async () => {
  service = await testService()
  records = await makeRecords()
})
after(() => service[Symbol.asyncDispose]())

/** Records that are there, by the names of the path's parameters: behind them lies what an unknown id never reaches. */
const makeRecords = async (): Promise<typeof records> => {
  const make = async (path: string, body: object) => {
    const reply = await service.call('POST', path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  const blueprint = (await service.call('GET', '/v1/builder/blueprint.sample.json')).body
  const launched = await make('/v1/builder/worlds', { blueprint })
  const [environment] = (await service.call('GET', '/v1/environments')).body.items
  const suite = await make('/v1/task-suites', { name: 'suite' })
  const task = await make(`/v1/task-suites/${suite.id}/tasks`, { title: 'task', instruction: 'Do it.' })
  const key = await make('/v1/api-keys', { name: 'key' })
  const { organization } = await make('/v1/organizations', { name: 'organization' })
  await make('/v1/agents/register', { name: 'agent', version: '1' })
  return {
    worldId: [launched.world.id],
    twinId: launched.twins.map(({ id }: { id: string }) => id),
    environmentId: [environment.id],
    suiteId: [suite.id],
    taskId: [task.id],
    keyId: [key.id],
    organizationId: [organization.id],
    name: ['agent'],
    version: ['1'],
  }
}

const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** In the form of a real cursor, with values that no list of ours has. */
const likeCursors = fc
  .oneof(
    fc.tuple(fc.constant('d'), fc.constantFrom(0, -1, 8.64e15, 253_402_300_000_000)),
    fc.tuple(fc.constant('n'), fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(-1, 1e300))),
    fc.tuple(fc.constant('s'), fc.oneof(fc.string(), fc.constantFrom('x', '', 'infinity', '1e999'))),
  )
  .chain(([kind, at]) => fc.string({ maxLength: 20 }).map((id) => forged([1, kind, at, id])))
const cursors = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '0', '..', 'null', 'x'.repeat(3_000)),
  fc.jsonValue().map(forged),
  fc
    .tuple(
      fc.constantFrom(0, 1, 2),
      fc.constantFrom('d', 'n', 's'),
      fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constantFrom(1e300, -1, 8.64e15)),
      fc.oneof(fc.string(), fc.integer()),
    )
    .map(forged),
)
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '0', '-1', '1e999', 'NaN', 'true', 'null', '\0', 'a\0b', '\u202e', '%', '%00', '../..'),
  fc.constantFrom("';--", '{}', '[]', '2026-02-30T99:99:99Z', '9'.repeat(40), 'x'.repeat(5_000)),
)
const escaped = (text: string) => encodeURIComponent(text.toWellFormed())

/** Some of the fields that the route knows, some that it does not, and all with odd values. */
const queries = (route: RouteSpec) => {
  const known = Object.keys(route.query?.shape ?? {})
  const names = known.length > 0 ? fc.oneof(fc.constantFrom(...known), texts) : texts
  const pair = names.chain((name) => fc.tuple(fc.constant(name), name === 'cursor' ? cursors : texts))
  const alone = known.includes('cursor') ? likeCursors.map((cursor) => `cursor=${cursor}`) : fc.constant('')
  return fc.oneof(
    alone,
    alone,
    fc.constant(''),
    fc
      .array(pair, { maxLength: 3 })
      .map((pairs) => pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')),
    fc.constantFrom('&&&', '=', '%', '%zz', 'limit', 'limit=1&limit=2', '__proto__=1'),
  )
}

const fieldsOf = (route: RouteSpec): string[] => {
  const shape: unknown = route.body && Reflect.get(route.body, 'shape')
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, -1, 1e308, 0.5, '', '\0', '\ud800', [], {}, [[[]]], 'x'.repeat(10_000)),
)

const bodies = (route: RouteSpec) => {
  const names = fieldsOf(route)
  const object =
    names.length > 0
      ? fc.dictionary(
          fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: texts }),
          oddValue,
        )
      : fc.dictionary(texts, oddValue)
  return fc.oneof(
    object.map((value) => JSON.stringify(value)),
    oddValue.map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '{', '[', '{"a":'.repeat(3_000), '[]'.repeat(2), '{"a":1,"a":2}', '{"__proto__":{}}'),
  )
}

const types = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/x-protobuf',
      'application/gzip',
      'x/y+json',
      ';',
      'json',
    ),
  },
)

const unknownIds = fc.oneof(
  texts.filter((text) => text !== '' && !/^\.\.?$/.test(text)),
  fc.constantFrom('wld_0', 'twn_00000000000000000000000000', 'a'.repeat(500), '-', '1', '0', '~', 'latest'),
)

/** What a route would end for good is not given to it. */
const ends = (route: RouteSpec) => route.method === 'DELETE' || /\/(stop|archive|cancel)$/.test(route.path)

const paths = (route: RouteSpec) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parts = names.map((name) => {
    const known = ends(route) ? [] : (records[name] ?? [])
    return known.length > 0 ? fc.oneof(fc.constantFrom(...known), unknownIds) : unknownIds
  })
  return fc.tuple(...parts).map((chosen) => {
    const left = [...chosen]
    return route.path.replaceAll(/\{\w+\}/g, () => escaped(left.shift() ?? 'x') || 'x')
  })
}

const hurl = async (
  route: RouteSpec,
  path: string,
  body: string,
  type: string,
): Promise<Called | undefined> => {
  const signal = AbortSignal.timeout(patienceMs)
  const bare = route.method === 'GET'
  const reply = await fetch(`${service.baseUrl}${path}`, {
    method: route.method,
    headers: { authorization: `Bearer ${service.key}`, ...(bare ? {} : { 'content-type': type }) },
    ...(bare ? {} : { body }),
    signal,
  })
  if (reply.headers.get('content-type')?.startsWith('text/event-stream')) {
    await reply.body?.cancel()
    return undefined
  }
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, text, body: undefined }
}

const isFine = ({ status, headers, text }: Called) => {
  assert.ok(status < 500 || [501, 502, 503].includes(status), `${status} ${text.slice(0, 300)}`)
  if (status < 400) return
  const error = ErrorBody.strict().parse(JSON.parse(text))
  assert.equal(error.request_id, headers.get('x-request-id'))
}

/** It holds its reply until there is something to deliver; its input is its path alone. */
const isLongPoll = (name: string) => name === 'takeTwinForwards'

describe('no input makes a bug of', () => {
  for (const [name, route] of table.filter(([name]) => !isLongPoll(name)))
    it(`${route.method} ${route.path} (${name})`, async () => {
      const input = fc.record({
        path: paths(route),
        query: queries(route),
        body: bodies(route),
        type: types,
      })
      await fc.assert(
        fc.asyncProperty(input, async ({ path, query, body, type }) => {
          const reply = await hurl(route, `${path}${query ? `?${query}` : ''}`, body, type)
          if (reply) isFine(reply)
        }),
        { numRuns: runsPerRoute, interruptAfterTimeLimit: 5_000 },
      )
    })

  it('the log of the service, which names no failed request', () => {
    assert.deepEqual(
      service.logged.filter(({ message }) => message === 'A request failed.').map(({ facts }) => facts),
      [],
    )
  })
})

describe('a path that is not mounted', () => {
  it('is a refusal in the one shape, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 4 }), async (parts) => {
        const path = `/v1/${parts.map(escaped).join('/')}`
        const reply = await fetch(`${service.baseUrl}${path}`, {
          headers: { authorization: `Bearer ${service.key}` },
        })
        isFine({ status: reply.status, headers: reply.headers, text: await reply.text(), body: undefined })
      }),
      { numRuns: 60, interruptAfterTimeLimit: 5_000 },
    )
  })
})
