import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { trackerSchema } from './graphql/engine.ts'
import { bareType } from './lists/filter.ts'
import type { FieldModel } from './schema/model.ts'
import { documentFor } from './testing/variables.ts'
import { idOf, startTracker } from './testing/world.ts'
import { tracker } from './twin.ts'

const text = fc.constantFrom('x', '', 'ENG', 'ENG-1', 'Bug', 'mira', 'https://example.com/a')
const time = fc.constantFrom('2026-03-05', '-P1D', 'P2W', '2021', '2026-03-05T01:02:03Z')
const day = fc.constantFrom('2026-03-05', 'P1M')
const id = fc.constantFrom(idOf('leak'), idOf('noise'), idOf('quiet'), idOf('ENG'), 'ENG-1', 'nope')
const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Int: fc.integer({ min: -5, max: 300 }),
  Float: fc.double({ min: -5, max: 300, noNaN: true }),
  Boolean: fc.boolean(),
  DateTime: time,
  DateTimeOrDuration: time,
  TimelessDate: day,
  TimelessDateOrDuration: day,
  Duration: fc.constantFrom('P1D', 5),
  JSON: fc.constantFrom({ a: 1 }, '{"type":"doc","content":[]}'),
  JSONObject: fc.constant({ a: [1] }),
  UUID: fc.constant(idOf('leak')),
}

/** Any value that fits a type of the schema. */
const valueOfType = (type: string, name: string, depth: number): fc.Arbitrary<unknown> => {
  if (!type.endsWith('!')) return fc.option(valueOfType(`${type}!`, name, depth))
  const inner = type.slice(0, -1)
  if (inner.startsWith('['))
    return fc.array(valueOfType(inner.slice(1, -1), name.replace(/s$/, ''), depth), { maxLength: 2 })
  const model = trackerSchema.get().types.get(inner)
  if (model?.kind === 'enum') return fc.constantFrom(...(model.values ?? []).map((value) => value.name))
  if (model?.kind === 'input') return recordOf(model.fields ?? [], depth)
  return scalars[inner] ?? (/(^id|Id)$/.test(name) ? id : text)
}

const recordOf = (fields: readonly FieldModel[], depth: number): fc.Arbitrary<unknown> => {
  const required = fields.filter(({ type }) => type.endsWith('!'))
  const optional = depth > 0 ? fields.filter(({ type }) => !type.endsWith('!')) : []
  const arbitraries = (list: readonly FieldModel[]) =>
    Object.fromEntries(list.map(({ name, type }) => [name, valueOfType(type, name, depth - 1)]))
  return fc
    .tuple(
      fc.record(arbitraries(required)),
      fc
        .subarray(optional, { maxLength: Math.min(6, optional.length) })
        .chain((list) => fc.record(arbitraries(list))),
    )
    .map(([must, may]) => ({ ...must, ...may }))
}

describe('anything that fits the schema', () => {
  it('is answered: with data or in the words of the service, and never with a bug', () => {
    const world = startTracker()
    for (const operation of Object.keys(tracker.operations)) {
      const made = documentFor(operation)
      if (!made) continue
      const args = made.field.args ?? []
      const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ')
      const passed = args.map(({ name }) => `${name}: $${name}`).join(', ')
      const kind = trackerSchema.get().types.get(bareType(made.field.type))?.kind
      const selection = kind === undefined || kind === 'scalar' ? '' : ' { __typename }'
      const list = (inner: string) => (inner === '' ? '' : `(${inner})`)
      const root = operation.split(' ')[0]
      const document = `${root}${list(declared)} { ${made.field.name}${list(passed)}${selection} }`
      fc.assert(
        fc.property(recordOf(args, 3), (variables) => {
          const { status } = world.ask(document, { ...(variables as object) })
          assert.equal(status, 200, operation)
        }),
        { numRuns: 15, seed: 7 },
      )
    }
  })
})
