import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { notes } from '../../twins/notes/twin.ts'
import { type SeededRandom, simulate } from '../simulate.ts'
import { seedFor, testCompany } from '../testing/host.ts'
import { FrozenTable } from './rows/frozen.ts'
import { OverlayTable } from './rows/overlay.ts'
import { compileSeed } from './seed.ts'
import type { TableSpec } from './table.ts'
import type { TwinRequest } from './twin.ts'

type Item = { id: string; group: string; rank: number }
const spec: TableSpec<Item> = {
  key: 'id',
  row: { parse: (value) => value as Item },
  indexes: { group: { by: (item: Item) => item.group, order: (item: Item) => item.rank } },
}
const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
const items = fc.record(
  { id: ids, group: fc.constantFrom('x', 'y'), rank: fc.integer({ min: 0, max: 4 }) },
  { noNullPrototype: true },
)
const writes = fc.array(
  fc.oneof(
    items.map((item) => ({ put: item })),
    ids.map((id) => ({ remove: id })),
    fc.constant('look' as const),
  ),
  { maxLength: 40 },
)

describe('a table over a frozen seed', () => {
  it('finds, counts, orders and ranges as a plain list of its rows would', () => {
    fc.assert(
      fc.property(fc.uniqueArray(items, { selector: ({ id }) => id }), writes, (seeded, steps) => {
        const table = new OverlayTable('item', new FrozenTable(spec, seeded), () => {})
        const model = new Map(seeded.map((item) => [item.id, item]))
        for (const step of steps) {
          if (step === 'look') {
            const expected = [...model.values()].filter((item) => item.group === 'x').length
            assert.equal(table.count('group', 'x'), expected)
            assert.equal([...table.find('group', 'x')].length, expected)
          } else if ('put' in step) {
            if (table.has(step.put.id)) table.update(step.put.id, step.put)
            else table.insert(step.put)
            model.set(step.put.id, step.put)
          } else if (table.has(step.remove)) {
            table.delete(step.remove)
            model.delete(step.remove)
          }
        }
        assert.equal(table.size(), model.size)
        for (const group of ['x', 'y'])
          for (const reverse of [false, true]) {
            const expected = [...model.values()]
              .filter((item) => item.group === group && item.rank > 0 && item.rank < 4)
              .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
            if (reverse) expected.reverse()
            assert.deepEqual([...table.find('group', group, { after: 0, before: 4, reverse })], expected)
            assert.equal(
              table.count('group', group),
              [...model.values()].filter((item) => item.group === group).length,
            )
          }
        assert.deepEqual(new Set([...table.all()].map(({ id }) => id)), new Set(model.keys()))
      }),
    )
  })

  it('refuses to be changed under the feet of a reader', () => {
    const table = new OverlayTable(
      'item',
      new FrozenTable(spec, [
        { id: 'a', group: 'x', rank: 1 },
        { id: 'b', group: 'x', rank: 2 },
      ]),
      () => {},
    )
    assert.throws(() => {
      for (const { id } of table.find('group', 'x')) table.update(String(id), { rank: 9 })
    }, /collect the rows of item before changing them/)
  })
})

const request = (dice: SeededRandom, token: string): TwinRequest => {
  const name =
    dice.pick(['list', 'read', 'write', 'write', 'edit', 'erase', 'remind', 'share', 'nothing']) ?? 'list'
  const body = {
    id: `n${dice.below(200)}`,
    text: dice.below(10) === 0 ? '' : `text ${dice.below(1_000)}`,
    at: dice.below(2 ** 41),
  }
  return {
    method: 'POST',
    path: `/${name}`,
    query: '',
    headers: dice.below(20) === 0 ? {} : { authorization: `Bearer ${token}` },
    body: Buffer.from(JSON.stringify(body)),
    baseUrl: 'http://twin.example',
  }
}

describe('the simulator', () => {
  it('runs 10,000 random steps through snapshots, ledgers and steps taken back', (context) => {
    const randomSeed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000)
    context.diagnostic(`SIMULATION_SEED=${randomSeed}`)
    const seed = seedFor(notes, { notes: [{ key: 'first', text: 'Buy pumps' }] })
    const { changed, digest } = simulate({ seed, randomSeed, steps: 10_000, request })
    assert.ok(changed > 1_000)
    assert.equal(digest.length, 64)
    const again = () => simulate({ seed, randomSeed, steps: 2_000, request }).digest
    assert.equal(again(), again())
  })
})

describe('a table that a twin gets later', () => {
  it('leaves the bytes of seeds without it as they were', () => {
    const grown = { ...notes, tables: { ...notes.tables, later: { ...spec, sparse: true } } }
    const compile = (twin: typeof notes) => compileSeed(twin, { notes: [] }, testCompany).sha256
    assert.equal(compile(grown), compile(notes))
  })
})
