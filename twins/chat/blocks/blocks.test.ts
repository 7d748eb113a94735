import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bad, good, input, long, many, mrkdwn, pie, plain, section } from '../testing/blocks.ts'
import { blockFaults } from './blocks.ts'
import { elements } from './elements.ts'
import { blocks } from './layout.ts'
import type { ObjectSchema, RuleContext, Schema, Surface } from './schema.ts'
import { type BlockFault, validate } from './validate.ts'
import { viewFaults } from './view.ts'

type Json = Record<string, unknown>

const context = (surface: Surface): RuleContext => ({
  surface,
  isImage: ({ id }) => id === 'F0IMAGE',
  isRemoteFile: (id) => id === 'remote-1',
  isCall: (id) => id === 'R0CALL',
})

/** Faults of one block, with pointers from the block on. */
const faultsOf = (block: unknown, surface: Surface = 'message'): string[] =>
  blockFaults([block], context(surface), '/blocks').map(
    ({ message, pointer }) => `${message} ${pointer.replace('/blocks/0', '')}`,
  )

/** Every object schema below a schema. */
function* objectsIn(schema: Schema): Generator<ObjectSchema> {
  if (schema.is === 'array') yield* objectsIn(schema.items)
  if (schema.is === 'typed') for (const one of Object.values(schema.types)) yield* objectsIn(one)
  if (schema.is !== 'object') return
  yield schema
  for (const field of Object.values(schema.fields))
    yield* objectsIn('required' in field ? field.required : field)
}

describe('Block Kit', () => {
  it('takes a well-formed example of every block', () => {
    for (const [block, surface] of good) assert.deepEqual(faultsOf(block, surface), [], JSON.stringify(block))
    const shown = new Set(good.map(([{ type }]) => type))
    assert.deepEqual(
      Object.keys(blocks).filter((type) => !shown.has(type)),
      [],
    )
  })

  it('refuses each broken rule in the words of the service, with a pointer to the place', () => {
    for (const [block, message, surface] of bad)
      assert.equal(faultsOf(block, surface)[0], message, JSON.stringify(block).slice(0, 200))
  })

  it('reports the parent first where a section is too long', () => {
    assert.deepEqual(faultsOf({ type: 'section', text: mrkdwn(long(3_001)) }), [
      'failed to match all allowed schemas /text',
      'must be less than 3001 characters /text/text',
    ])
  })

  it('counts characters and not code units', () => {
    assert.deepEqual(faultsOf({ type: 'header', text: plain('🎉'.repeat(150)) }), [])
    assert.equal(faultsOf({ type: 'header', text: plain('🎉'.repeat(151)) }).length, 1)
  })

  it('closes every object against properties it does not know', () => {
    const schemas = [...Object.values(blocks), ...Object.values(elements)].flatMap((one) => [
      ...objectsIn(one),
    ])
    assert.ok(schemas.length > 200)
    for (const schema of schemas) {
      const faults: BlockFault[] = []
      validate(schema, { value: { surprise: 1 }, pointer: '', context: context('message'), faults })
      assert.equal(faults.at(-1)?.message, 'invalid additional property: surprise')
    }
  })

  it('reports a hundred faults at most', () => {
    const bulky = many(50, () => section({ type: 'static_select', options: many(100, () => ({ wrong: 1 })) }))
    assert.equal(blockFaults(bulky, context('message'), '/blocks').length, 100)
  })

  it('limits what the blocks of one payload hold together', () => {
    const faults = (list: unknown, surface: Surface = 'message') =>
      blockFaults(list, context(surface), '/blocks').map(({ message, pointer }) => `${message} ${pointer}`)
    const divider = { type: 'divider' }
    assert.deepEqual(faults(many(51, () => divider)), ['no more than 50 items allowed /blocks'])
    assert.deepEqual(
      faults(
        many(100, () => divider),
        'modal',
      ),
      [],
    )
    assert.deepEqual(
      faults([
        { ...divider, block_id: 'a' },
        { ...divider, block_id: 'a' },
      ]),
      ['`block_id` "a" already exists /blocks/1/block_id'],
    )
    assert.equal(faults(many(2, () => ({ type: 'markdown', text: long(7_000) }))).length, 1)
    assert.equal(faults(many(3, () => ({ type: 'data_visualization', title: 'x', chart: pie }))).length, 1)
    const focused = input({ type: 'plain_text_input', focus_on_load: true })
    assert.equal(faults([focused, focused], 'modal').length, 1)
  })

  it('checks modals and home tabs as a whole', () => {
    const faults = (view: Json) =>
      viewFaults(view, context('message'), '/view').map(({ message, pointer }) => `${message} ${pointer}`)
    const modal = { type: 'modal', title: plain('T'), blocks: [{ type: 'divider' }] }
    assert.deepEqual(faults(modal), [])
    assert.deepEqual(faults({ ...modal, title: plain(long(25)) }), [
      'must be less than 25 characters /view/title/text',
    ])
    assert.deepEqual(faults({ ...modal, state: {} }), [
      'failed to match all allowed schemas /view',
      'invalid additional property: state /view',
    ])
    assert.deepEqual(faults({ ...modal, blocks: [input({ type: 'plain_text_input' })] }), [
      'must define `submit` to use an `input` block in modals /view/blocks/0/input',
    ])
    assert.deepEqual(faults({ ...modal, private_metadata: long(3_001) }), [
      'must be less than 3001 characters /view/private_metadata',
    ])
    assert.deepEqual(faults({ ...modal, type: 'home' })[1], 'invalid additional property: title /view')
    assert.deepEqual(faults({ ...modal, blocks: many(101, () => ({ type: 'divider' })) }), [
      'no more than 100 items allowed /view/blocks',
    ])
  })
})
