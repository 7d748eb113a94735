import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { many, mrkdwn, raw_text } from '../testing/blocks.ts'
import { startChat } from '../testing/client.ts'
import { raw, rawJson } from '../testing/raw.ts'

type Json = Record<string, unknown>

describe('a payload', () => {
  it('is refused with its errors as a list and as log lines', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const { body } = await rawJson(chat, 'chat.postMessage', {
      channel,
      blocks: [{ type: 'section', text: { ...mrkdwn('x'), emoji: true } }],
    })
    const line = 'invalid additional property: emoji [json-pointer:/blocks/0/text]'
    assert.deepEqual(body, {
      ok: false,
      error: 'invalid_blocks',
      errors: [line],
      response_metadata: { messages: [`[ERROR] ${line}`] },
    })
  })

  it('has attachments of known shape, and none beside blocks that clash with them', async () => {
    await using chat = await startChat()
    const post = async (attachment: Json) =>
      (await rawJson(chat, 'chat.postMessage', { channel: chat.channel('pumps'), attachments: [attachment] }))
        .body
    assert.equal((await post({})).error, 'no_text')
    assert.equal((await post({ title: 7 })).error, 'invalid_attachments')
    const action = { name: 'a', text: 'b', type: 'button' }
    assert.equal((await post({ text: 'x', actions: many(6, () => action) })).error, 'invalid_attachments')
    const clash = await post({ blocks: [{ type: 'divider' }], indent: false })
    assert.deepEqual(clash.response_metadata, { messages: ['[ERROR] invalid_keys'] })
    const inner = await post({ blocks: [{ type: 'header', text: mrkdwn('x') }] })
    assert.deepEqual(inner.errors, [
      'must be a valid enum value [json-pointer:/attachments/0/blocks/0/text/type]',
    ])
  })

  it('shows one table, at the end of the message', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const table = { type: 'table', rows: [[raw_text('a')]] }
    const two = await rawJson(chat, 'chat.postMessage', { channel, blocks: [table, table] })
    assert.equal(two.body.error, 'invalid_attachments')
    const one = await rawJson(chat, 'chat.postMessage', { channel, blocks: [table, { type: 'divider' }] })
    const message = one.body.message as { blocks: Json[]; attachments: { blocks: Json[] }[] }
    assert.deepEqual(
      message.blocks.map(({ type }) => type),
      ['divider'],
    )
    assert.equal(message.attachments[0]?.blocks[0]?.type, 'table')
  })

  it('describes work objects of known types in its metadata', async () => {
    await using chat = await startChat()
    const post = async (entity: Json) =>
      (
        await rawJson(chat, 'chat.postMessage', {
          channel: chat.channel('pumps'),
          text: 'x',
          metadata: { entities: [entity] },
        })
      ).body
    const task = {
      entity_type: 'slack#/entities/task',
      url: 'https://a.example/1',
      external_ref: { id: '1' },
      entity_payload: { attributes: { title: { text: 'T' } }, fields: { status: { value: 'open' } } },
    }
    assert.equal((await post(task)).ok, true)
    const { external_ref: _, ...anonymous } = task
    assert.deepEqual((await post(anonymous)).errors, [
      'missing required field: external_ref [json-pointer:/metadata/entities/0]',
    ])
    assert.equal(
      (await post({ ...task, entity_type: 'slack#/entities/cake' })).error,
      'invalid_metadata_schema',
    )
    const wrong = { ...task.entity_payload, fields: { flavour: { value: 'x' } } }
    assert.equal((await post({ ...task, entity_payload: wrong })).error, 'invalid_metadata_schema')
  })

  it('can be checked without a token and without being sent', async () => {
    await using chat = await startChat()
    const check = async (args: Json) =>
      (
        await raw(chat, 'blocks.validate', {
          method: 'POST',
          token: null,
          headers: { 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify(args),
        })
      ).body
    assert.deepEqual(await check({ blocks: [{ type: 'divider' }] }), { ok: true })
    const { error, errors } = await check({
      blocks: [{ type: 'section', text: { type: 'invalid', text: 'x' } }],
    })
    assert.equal(error, 'invalid_blocks')
    assert.deepEqual(errors, [
      {
        code: 'failed_constraint',
        message: 'unsupported type: invalid',
        pointer: '/0/text/type',
        constraint: { type: 'enum', expected: ['plain_text', 'mrkdwn'] },
      },
    ])
    assert.equal((await check({})).error, 'invalid_arguments')
    assert.equal((await check({ view: { type: 'home' } })).error, 'invalid_view')
  })
})
