import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allRoutes, eventRoutes } from '@diorama/contract'
import { fitFields } from '@diorama/contract/fields'
import fc from 'fast-check'
import { z } from 'zod'
import { fallback, fastReader } from './fast-reader.ts'

const schemas = Object.values(allRoutes).flatMap((route) => ('body' in route ? [route.body] : []))

/** A fast reader may always fall back; where it does not, the schema must give the same. */
const agrees = (schema: z.ZodType, value: unknown): boolean => {
  const read = fastReader(schema)(value)
  if (read === fallback) return false
  const { value: fitted, unknown } = fitFields(schema, value)
  const parsed = schema.safeParse(fitted)
  assert.deepEqual(unknown, [], JSON.stringify(value))
  assert.ok(parsed.success, JSON.stringify(value))
  assert.equal(JSON.stringify(read), JSON.stringify(parsed.data))
  return true
}

const event = {
  source: 'shop',
  topic: 'orders',
  event_type: 'created',
  entities: { order: '17' },
  payload: { n: 1, lines: [{ sku: 'A' }], none: null },
}

/** Values for fields that are near what schemas take and often beside it. */
const near = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'a',
    'é',
    '😀',
    'x'.repeat(200),
    '😀'.repeat(101),
    'x'.repeat(401),
    null,
    0,
    true,
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [event],
    { events: [event] },
    { order: '' },
    { '': 'x' },
    '2026-01-01T00:00:00Z',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"a":1},"b":2}')),
  fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 })),
)

describe('a certain reader', () => {
  it('reads the usual event, and batches of them in both forms', () => {
    assert.ok(agrees(eventRoutes.createEvent.body, event))
    assert.ok(
      agrees(eventRoutes.createEvent.body, { source: 's', topic: 't', event_type: 'e', timestamp: null }),
    )
    assert.ok(agrees(eventRoutes.createEvents.body, [event, event]))
    assert.ok(agrees(eventRoutes.createEvents.body, { events: [event] }))
  })

  it('leaves to the schema what it has a word to say about', () => {
    const read = fastReader(eventRoutes.createEvent.body)
    for (const change of [
      { source: '' },
      { source: 'x'.repeat(201) },
      { event_type: 7 },
      { eventType: 'created' },
      { timestamp: 'soon' },
      { entities: { order: '' } },
      { entities: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`e${n}`, 'x'])) },
      { payload: [] },
      JSON.parse('{"__proto__":{"admin":true}}'),
      { payload: JSON.parse('{"__proto__":{"admin":true}}') },
      { entities: JSON.parse('{"__proto__":"x"}') },
    ])
      assert.equal(read(Object.fromEntries([...Object.entries(event), ...Object.entries(change)])), fallback)
    assert.equal(read([event]), fallback)
    assert.equal(read(null), fallback)
    assert.equal(fastReader(eventRoutes.createEvents.body)([]), fallback)
  })

  it('says what the schema says of every body that it takes, on every route', () => {
    for (const schema of schemas) {
      const shape = schema instanceof z.ZodObject ? Object.keys(schema.shape) : ['events', 'runs']
      const body = fc.oneof(
        fc.dictionary(fc.constantFrom(...shape, 'toString', '__proto__', 'other'), near, {
          noNullPrototype: true,
        }),
        fc.record(Object.fromEntries(shape.map((field) => [field, near])), { requiredKeys: [] }),
        near,
      )
      fc.assert(
        fc.property(body, (value) => {
          agrees(schema, JSON.parse(JSON.stringify(value)))
        }),
        { numRuns: 60 },
      )
    }
    const changed = fc.record({ ...Object.fromEntries(Object.keys(event).map((field) => [field, near])) })
    fc.assert(
      fc.property(changed, fc.subarray(Object.keys(event)), (wild, kept) => {
        const own = Object.entries(event).filter(([field]) => kept.includes(field))
        agrees(eventRoutes.createEvent.body, { ...wild, ...Object.fromEntries(own) })
        agrees(eventRoutes.createEvents.body, [event, { ...wild, ...Object.fromEntries(own) }])
      }),
      { numRuns: 500 },
    )
  })
})
