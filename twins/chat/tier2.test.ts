import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refusal, startChat } from './testing/client.ts'

type Answer = Record<string, unknown>

const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
})

describe('the second tier', () => {
  it('keeps stars, snoozes and presence for each person', async () => {
    await using chat = await startChat()
    const { mira } = chat
    const item = { channel: chat.channel('pumps'), timestamp: chat.ts('late') }
    await mira.stars.add(item)
    assert.equal(await refusal(mira.stars.add(item)), 'already_starred')
    const { items } = (await mira.stars.list({})) as { items?: { type?: string }[] }
    assert.deepEqual(
      items?.map(({ type }) => type),
      ['message'],
    )
    await mira.stars.remove(item)
    assert.equal(await refusal(mira.stars.remove(item)), 'not_starred')
    const snoozed = async () => Object(await mira.dnd.info()).snooze_enabled
    await mira.dnd.setSnooze({ num_minutes: 5 })
    assert.equal(await snoozed(), true)
    chat.host.clock.now += 6 * 60_000
    assert.equal(await snoozed(), false)
    await mira.users.setPresence({ presence: 'away' })
    assert.equal((await chat.bot.users.getPresence({ user: chat.user('mira') })).presence, 'away')
  })

  it('publishes a home tab, guards it by its hash, and refuses unknown triggers', async () => {
    await using chat = await startChat()
    const view = { type: 'home' as const, blocks: [{ type: 'divider' as const }] }
    const user_id = chat.user('dev')
    const first = await chat.bot.views.publish({ user_id, view })
    assert.equal(first.view?.type, 'home')
    assert.equal(await refusal(chat.bot.views.publish({ user_id, view, hash: 'old' })), 'hash_conflict')
    const again = await chat.bot.views.publish({ user_id, view, hash: first.view?.hash ?? '' })
    assert.equal(again.view?.id, first.view?.id)
    const modal = { type: 'modal' as const, title: { type: 'plain_text' as const, text: 'T' }, blocks: [] }
    assert.equal(
      await refusal(chat.bot.views.open({ trigger_id: '1.2.3', view: modal })),
      'invalid_trigger_id',
    )
  })

  it('streams a message piece by piece', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const call = (method: string, args: Answer) => chat.bot.apiCall(method, { channel, ...args })
    const { ts } = Object(
      await call('chat.startStream', {
        thread_ts: chat.ts('late'),
        markdown_text: '**Hel',
      }),
    )
    await call('chat.appendStream', { ts, markdown_text: 'lo' })
    await call('chat.stopStream', { ts, markdown_text: '** there' })
    const { messages } = await chat.bot.conversations.replies({ channel, ts: chat.ts('late') })
    assert.equal(messages?.at(-1)?.text, '*Hello* there')
    assert.equal(
      await refusal(call('chat.appendStream', { ts, markdown_text: 'x' })),
      'message_not_in_streaming_state',
    )
  })

  it('finds context for assistants, and keeps their threads’ titles', async () => {
    await using chat = await startChat()
    const found = (await chat.bot.apiCall('assistant.search.context', {
      query: 'contoso',
      content_types: 'messages,channels,users',
    })) as unknown as { results: { messages: { content: string }[]; channels: unknown[]; users: unknown[] } }
    assert.deepEqual(
      found.results.messages.map(({ content }) => content),
      ['Demo for Contoso on Friday :tada:'],
    )
    const people = (await chat.bot.apiCall('assistant.search.context', {
      query: 'lucia',
      content_types: 'users',
    })) as unknown as {
      results: { users: { full_name: string }[] }
    }
    assert.deepEqual(
      people.results.users.map(({ full_name }) => full_name),
      ['Lucía Fernández'],
    )
    await chat.bot.assistant.threads.setTitle({
      channel_id: chat.channel('pumps'),
      thread_ts: chat.ts('late'),
      title: 'Invoices',
    })
    assert.equal(chat.host.instance.diff()[0]?.after?.title, 'Invoices')
  })

  it('writes canvases and edits them section by section', async () => {
    await using chat = await startChat()
    const made = await chat.bot.canvases.create({
      title: 'Plan',
      document_content: { type: 'markdown', markdown: '# Goals\n\nShip it\n\n## Risks\n\nNone' },
    })
    const canvas_id = made.canvas_id ?? ''
    const { sections } = await chat.bot.canvases.sections.lookup({
      canvas_id,
      criteria: { contains_text: 'none', section_types: ['any_header'] },
    } as never)
    assert.deepEqual(sections, [])
    const found = await chat.bot.canvases.sections.lookup({ canvas_id, criteria: { contains_text: 'none' } })
    await chat.bot.canvases.edit({
      canvas_id,
      changes: [
        {
          operation: 'replace',
          section_id: found.sections?.[0]?.id ?? '',
          document_content: { type: 'markdown', markdown: 'Supplier is late' },
        },
      ],
    })
    const row = chat.host.instance.tables.canvas?.get(canvas_id)
    assert.equal(row?.markdown, '# Goals\n\nShip it\n\n## Risks\n\nSupplier is late')
    assert.equal(await refusal(chat.lucia.canvases.delete({ canvas_id })), 'canvas_not_found')
    await chat.bot.canvases.access.set({ canvas_id, access_level: 'read', user_ids: [chat.user('lucia')] })
    assert.equal(await refusal(chat.lucia.canvases.delete({ canvas_id })), 'restricted_action')
    await chat.bot.canvases.delete({ canvas_id })
  })

  it('keeps lists with columns, items and pages of them', async () => {
    await using chat = await startChat()
    const call = async (method: string, args: Answer) =>
      ({ ...(await chat.bot.apiCall(`slackLists.${method}`, args)) }) as Answer
    const schema = [{ key: 'task', name: 'Task', type: 'text', is_primary_column: true }]
    const { list_id, list_metadata } = await call('create', { name: 'Chores', schema })
    const column_id = (list_metadata as { schema: { id: string }[] }).schema[0]?.id
    for (const value of ['one', 'two', 'three'])
      await call('items.create', { list_id, initial_fields: [{ column_id, rich_text: [rich(value)] }] })
    const page = await call('items.list', { list_id, limit: 2 })
    const items = page.items as { id: string; fields: { text: string }[] }[]
    assert.deepEqual(
      items.map(({ fields }) => fields[0]?.text),
      ['one', 'two'],
    )
    const cursor = (page.response_metadata as { next_cursor: string }).next_cursor
    assert.equal(((await call('items.list', { list_id, cursor })).items as unknown[]).length, 1)
    await call('items.update', {
      list_id,
      cells: [{ row_id: items[0]?.id, column_id, rich_text: [rich('uno')] }],
    })
    const { record } = await call('items.info', { list_id, id: items[0]?.id })
    assert.equal((record as { fields: { text: string }[] }).fields[0]?.text, 'uno')
    await call('items.delete', { list_id, id: items[0]?.id })
    assert.equal(
      await refusal(chat.bot.apiCall('slackLists.items.info', { list_id, id: items[0]?.id })),
      'record_not_found',
    )
  })

  it('disables and enables user groups, unfurls links, and calls the old upload retired', async () => {
    await using chat = await startChat()
    const { usergroup } = await chat.bot.usergroups.create({ name: 'Ops', handle: 'ops' })
    await chat.bot.usergroups.disable({ usergroup: usergroup?.id ?? '' })
    assert.equal((await chat.bot.usergroups.list()).usergroups?.length, 0)
    await chat.bot.usergroups.enable({ usergroup: usergroup?.id ?? '' })
    assert.equal((await chat.bot.usergroups.list()).usergroups?.length, 1)
    const linked = await chat.bot.chat.postMessage({
      channel: chat.channel('pumps'),
      text: 'Ask @ops',
      link_names: true,
    })
    assert.equal(linked.message?.text, `Ask <!subteam^${usergroup?.id}>`)
    const { ts = '' } = await chat.bot.chat.postMessage({
      channel: chat.channel('pumps'),
      text: 'https://a.example/1',
    })
    await chat.bot.chat.unfurl({
      channel: chat.channel('pumps'),
      ts,
      unfurls: { 'https://a.example/1': { text: 'A page' } },
    })
    const { messages } = await chat.bot.conversations.history({ channel: chat.channel('pumps'), limit: 1 })
    assert.equal(messages?.[0]?.attachments?.[0]?.text, 'A page')
    assert.equal(await refusal(chat.bot.apiCall('files.upload')), 'method_deprecated')
    assert.deepEqual(chat.host.failures, [])
  })
})

describe('names, emoji and times that the service does not take', () => {
  it('refuses display names and handles that would mention everybody', async () => {
    await using chat = await startChat()
    const named = (display_name: string) =>
      refusal(chat.dev.apiCall('users.profile.set', { profile: { display_name } }))
    assert.equal(await named('@dev'), 'invalid_starts_with_at')
    assert.equal(await named('Here'), 'reserved_name')
    assert.equal(await named('Dev S.'), 'ok')
    const group = (args: Record<string, string>) =>
      refusal(chat.mira.apiCall('usergroups.create', { name: 'Pumps', ...args }))
    assert.equal(await group({ handle: 'everyone' }), 'forbidden_handle')
    assert.equal(await group({ handle: 'pumpers', description: 'x'.repeat(256) }), 'description_too_long')
    assert.equal(await group({ handle: 'pumpers', description: 'x'.repeat(255) }), 'ok')
  })

  it('refuses bookmarks with an emoji that there is none of', async () => {
    await using chat = await startChat()
    const bookmark = {
      channel_id: chat.channel('pumps'),
      title: 'Docs',
      type: 'link',
      link: 'https://x.example',
    }
    const added = (emoji: string) => refusal(chat.bot.apiCall('bookmarks.add', { ...bookmark, emoji }))
    assert.equal(await added(':no_such_emoji:'), 'invalid_emoji')
    assert.equal(await added(':tada:'), 'ok')
  })

  it('does not take back a scheduled message in its last minute', async () => {
    await using chat = await startChat()
    const channel = chat.channel('general')
    const at = Math.floor(chat.host.clock.now / 1_000)
    const made = await chat.bot.chat.scheduleMessage({ channel, text: 'Soon', post_at: at + 90 })
    const scheduled_message_id = String(made.scheduled_message_id)
    chat.host.clock.now += 40_000
    const taken = () => refusal(chat.bot.chat.deleteScheduledMessage({ channel, scheduled_message_id }))
    assert.equal(await taken(), 'invalid_scheduled_message_id')
    chat.host.clock.now -= 20_000
    assert.equal(await taken(), 'ok')
  })
})
