import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { allRoutes, ErrorBody, type RouteSpec } from '@diorama/contract'
import fc from 'fast-check'
import { type Called, type TestService, testService } from '../testing.ts'

// Every route of the table, and so every route that is added to it, is given input that nobody would send.
// A failure prints the seed and the smallest input; `fc.assert(…, { seed, path })` runs it again.

const table: readonly (readonly [name: string, route: RouteSpec])[] = Object.entries(allRoutes)
const runsPerRoute = 12

/** Streams stay open by design; their input is read before they open, and the answer is looked at no further. */
const patienceMs = 2_000

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
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
  return fc.oneof(
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

const ids = fc.oneof(
  texts.filter((text) => text !== '' && !/^\.\.?$/.test(text)),
  fc.constantFrom('wld_0', 'twn_00000000000000000000000000', 'a'.repeat(500), '-', '1', '0', '~', 'latest'),
)

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

describe('no input makes a bug of', () => {
  for (const [name, route] of table)
    it(`${route.method} ${route.path} (${name})`, async () => {
      const places = [...route.path.matchAll(/\{\w+\}/g)].length
      const input = fc.record({
        params: fc.array(ids, { minLength: places, maxLength: places }),
        query: queries(route),
        body: bodies(route),
        type: types,
      })
      await fc.assert(
        fc.asyncProperty(input, async ({ params, query, body, type }) => {
          const left = [...params]
          const path = route.path.replaceAll(/\{\w+\}/g, () => escaped(left.shift() ?? 'x') || 'x')
          const reply = await hurl(route, `${path}${query ? `?${query}` : ''}`, body, type)
          if (reply) isFine(reply)
        }),
        { numRuns: runsPerRoute, interruptAfterTimeLimit: 5_000, verbose: 0 },
      )
    })

  it('the log of the service, which names no failed request', () => {
    assert.deepEqual(
      service.logged.filter(({ message }) => message === 'A request failed.').map(({ facts }) => facts),
      [],
    )
  })
})

describe('a path that nobody mounted', () => {
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
