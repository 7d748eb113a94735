import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { refusal, startChat } from './testing/client.ts'
import { raw, rawForm, rawJson } from './testing/raw.ts'

const minute = 60_000

describe('time in a workspace', () => {
  it('posts a scheduled message when the world’s clock reaches it, not before', async () => {
    await using chat = await startChat()
    const { bot, host } = chat
    const channel = chat.channel('pumps')
    const post_at = host.clock.now / 1_000 + 600
    await bot.chat.scheduleMessage({ channel, text: 'Later', post_at, thread_ts: chat.ts('late') } as never)
    host.clock.now += 9 * minute
    assert.equal((await bot.chat.scheduledMessages.list()).scheduled_messages?.length, 1)
    host.clock.now += 2 * minute
    const { messages } = await bot.conversations.replies({ channel, ts: chat.ts('late') })
    assert.equal(messages?.at(-1)?.text, 'Later')
    assert.equal(messages?.at(-1)?.ts, `${post_at}.000000`)
    assert.equal((await bot.chat.scheduledMessages.list()).scheduled_messages?.length, 0)
    const due = host.steps.find(({ operation }) => operation === 'due')
    assert.ok(
      due?.changes.some(({ collection, operation }) => collection === 'message' && operation === 'create'),
    )
  })

  it('refuses times that are past, too far or none', async () => {
    await using chat = await startChat()
    const now = chat.host.clock.now / 1_000
    const at = (post_at: number) =>
      refusal(chat.bot.chat.scheduleMessage({ channel: chat.channel('pumps'), text: 'x', post_at }))
    assert.equal(await at(now - 1), 'time_in_past')
    assert.equal(await at(now + 121 * 86_400), 'time_too_far')
    assert.equal(await at(-5), 'invalid_time')
  })

  it('tells people what they wanted to be reminded of', async () => {
    await using chat = await startChat()
    await chat.mira.reminders.add({ text: 'Call Contoso', time: 'in 20 minutes' })
    chat.host.clock.now += 21 * minute
    const { channels } = await chat.mira.conversations.list({ types: 'im' })
    const { messages } = await chat.mira.conversations.history({ channel: channels?.[0]?.id ?? '' })
    assert.equal(messages?.[0]?.text, 'Reminder: Call Contoso.')
    assert.equal(await refusal(chat.mira.reminders.add({ text: 'x', time: 'when pigs fly' })), 'cannot_parse')
  })
})

describe('messages', () => {
  it('are changed by their author alone, and say when', async () => {
    await using chat = await startChat()
    const { bot, mira } = chat
    const channel = chat.channel('pumps')
    const { ts = '' } = await bot.chat.postMessage({ channel, text: 'First', blocks: [{ type: 'divider' }] })
    const changed = await bot.chat.update({ channel, ts, text: 'Second' })
    assert.equal(changed.text, 'Second')
    const { messages } = await bot.conversations.history({ channel, latest: ts, inclusive: true, limit: 1 })
    assert.equal(messages?.[0]?.blocks?.[0]?.type, 'rich_text')
    assert.equal(messages?.[0]?.edited?.user, (await bot.auth.test()).user_id)
    assert.equal(await refusal(mira.chat.update({ channel, ts, text: 'Third' })), 'cant_update_message')
    assert.equal(await refusal(chat.dev.chat.delete({ channel, ts })), 'cant_delete_message')
    assert.equal(await refusal(bot.chat.update({ channel, ts: '1.1', text: 'x' })), 'message_not_found')
    await bot.chat.delete({ channel, ts })
    assert.equal(await refusal(bot.chat.delete({ channel, ts })), 'message_not_found')
  })

  it('leave a tombstone when replies remain', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const { ts = '' } = await chat.bot.chat.postMessage({ channel, text: 'Parent' })
    await chat.mira.chat.postMessage({ channel, text: 'Child', thread_ts: ts })
    await chat.bot.chat.delete({ channel, ts })
    const { messages } = await chat.bot.conversations.replies({ channel, ts })
    assert.deepEqual(
      messages?.map(({ text }) => text),
      ['This message was deleted.', 'Child'],
    )
  })

  it('are refused with the reason, and nothing is changed', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const post = (args: Record<string, unknown>) =>
      refusal(chat.bot.apiCall('chat.postMessage', { channel, ...args }))
    assert.equal(await post({}), 'no_text')
    assert.equal(await post({ text: 'x', channel: 'C0NOTHING' }), 'channel_not_found')
    assert.equal(await post({ text: 'x', channel: chat.channel('old-stuff') }), 'is_archived')
    assert.equal(await post({ text: 'x', channel: chat.channel('deal-desk') }), 'channel_not_found')
    assert.equal(await post({ text: 'x', thread_ts: '1700000000.000001' }), 'thread_not_found')
    assert.equal(await post({ blocks: 'not json' }), 'invalid_blocks_format')
    assert.equal(await post({ blocks: [{ type: 'nonsense' }] }), 'invalid_blocks')
    assert.equal(
      await post({ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }),
      'invalid_blocks',
    )
    assert.equal(
      await post({ attachments: Array.from({ length: 101 }, () => ({ text: 'x' })) }),
      'too_many_attachments',
    )
    assert.equal(await post({ text: 'x', markdown_text: '**x**' }), 'markdown_text_conflict')
    assert.equal(await post({ text: 'x', metadata: '[]' }), 'invalid_metadata_format')
    const detail = await rawJson(chat, 'chat.postMessage', { channel, blocks: [{ type: 'section' }] })
    assert.deepEqual(detail.body.response_metadata, {
      messages: ['[ERROR] must define either `text` or `fields` [json-pointer:/blocks/0/type]'],
    })
    assert.deepEqual(chat.host.instance.diff(), [])
  })

  it('carry what they were given: metadata, a custom name, Markdown, a cut text', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const metadata = { event_type: 'order', event_payload: { id: 7 } }
    const { ts = '' } = await chat.bot.chat.postMessage({ channel, text: 'x', metadata })
    const read = await chat.bot.conversations.history({ channel, limit: 1, include_all_metadata: true })
    const [stored] = read.messages ?? []
    assert.deepEqual(stored && 'metadata' in stored ? stored.metadata : undefined, metadata)
    assert.equal(read.messages?.[0]?.ts, ts)
    const renamed = await chat.bot.chat.postMessage({
      channel,
      text: 'x',
      username: 'Pager',
      icon_emoji: ':bell:',
    })
    assert.equal(renamed.message?.subtype, 'bot_message')
    assert.equal(renamed.message?.username, 'Pager')
    const markdown = await rawJson(chat, 'chat.postMessage', {
      channel,
      markdown_text: '**Bold** [a](https://a.example)',
    })
    assert.equal((markdown.body.message as { text: string }).text, '*Bold* <https://a.example|a>')
    const long = await rawForm(chat, 'chat.postMessage', { channel, text: 'y'.repeat(40_001) })
    assert.equal(long.body.warning, 'message_truncated,superfluous_charset')
    assert.equal((long.body.message as { text: string }).text.length, 40_000)
  })

  it('that only one person sees are in no history', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    await chat.bot.chat.postEphemeral({ channel, user: chat.user('dev'), text: 'Psst' })
    const { messages } = await chat.dev.conversations.history({ channel, limit: 1 })
    assert.equal(messages?.[0]?.text, 'Build 41 passed')
    assert.equal(chat.host.instance.diff()[0]?.collection, 'ephemeral_message')
    const outsider = { channel: chat.channel('ops-private'), user: chat.user('lucia'), text: 'x' }
    assert.equal(await refusal(chat.bot.chat.postEphemeral(outsider)), 'user_not_in_channel')
  })
})

describe('channels', () => {
  it('are named within the rules, and each fault has its word', async () => {
    await using chat = await startChat()
    const create = (name: string) => refusal(chat.bot.conversations.create({ name }))
    assert.equal(await create('general'), 'name_taken')
    assert.equal(await create(''), 'invalid_name_required')
    assert.equal(await create('x'.repeat(81)), 'invalid_name_maxlength')
    assert.equal(await create('Upper Case'), 'invalid_name_specials')
    assert.equal(await create('---'), 'invalid_name_punctuation')
  })

  it('keep their rules of joining, leaving, inviting and archiving', async () => {
    await using chat = await startChat()
    const { bot, mira, dev } = chat
    const general = chat.channel('general')
    assert.equal(await refusal(bot.conversations.leave({ channel: general })), 'cant_leave_general')
    assert.equal(await refusal(bot.conversations.archive({ channel: general })), 'cant_archive_general')
    assert.equal(
      await refusal(bot.conversations.kick({ channel: general, user: chat.user('dev') })),
      'cant_kick_from_general',
    )
    assert.equal(
      await refusal(bot.conversations.archive({ channel: chat.channel('old-stuff') })),
      'already_archived',
    )
    assert.equal(await refusal(bot.conversations.unarchive({ channel: general })), 'not_archived')
    assert.equal(
      await refusal(mira.conversations.join({ channel: chat.channel('ops-private') })),
      'method_not_supported_for_channel_type',
    )
    const channel =
      (await mira.conversations.create({ name: 'team-room', is_private: true })).channel?.id ?? ''
    const invite = (users: string) => refusal(mira.conversations.invite({ channel, users }))
    assert.equal(await invite(chat.user('dev')), 'ok')
    assert.equal(await invite(chat.user('dev')), 'already_in_channel')
    assert.equal(await invite(chat.user('mira')), 'cant_invite_self')
    assert.equal(await invite('U0NOBODY'), 'user_not_found')
    assert.equal(
      await refusal(bot.conversations.invite({ channel, users: chat.user('lucia') })),
      'channel_not_found',
    )
    const joined = await raw(chat, `conversations.join?channel=${general}`)
    assert.equal(joined.body.warning, 'already_in_channel')
    assert.equal(await refusal(dev.conversations.rename({ channel, name: 'mine' })), 'not_authorized')
    await dev.conversations.leave({ channel })
    assert.equal(await refusal(dev.conversations.info({ channel })), 'channel_not_found')
    assert.equal(await refusal(mira.conversations.leave({ channel })), 'last_member')
  })

  it('remember how far each person has read', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    await chat.mira.conversations.mark({ channel, ts: chat.ts('late') })
    assert.equal((await chat.mira.conversations.info({ channel })).channel?.last_read, chat.ts('late'))
    const unread = (await chat.dev.conversations.info({ channel })).channel?.last_read
    assert.equal(unread, '0000000000.000000')
    assert.equal(await refusal(chat.mira.conversations.mark({ channel, ts: 'soon' })), 'invalid_timestamp')
    assert.deepEqual(chat.host.instance.diff(), [], 'reading is no change that a grader sees')
  })

  it('show a stretch of history between two moments, with its ends or without', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const [oldest, latest] = [chat.ts('late'), chat.ts('build')]
    const texts = async (args: object) =>
      (await chat.bot.conversations.history({ channel, oldest, latest, ...args })).messages?.map(
        ({ text }) => text,
      )
    assert.deepEqual(await texts({}), [])
    assert.deepEqual(await texts({ inclusive: true }), ['Build 41 passed', 'The *P-200* invoices are late'])
    assert.equal(await refusal(chat.bot.conversations.history({ channel, oldest: 'x' })), 'invalid_ts_oldest')
    assert.equal(await refusal(chat.bot.conversations.history({ channel, latest: 'x' })), 'invalid_ts_latest')
    assert.equal(await refusal(chat.bot.conversations.list({ types: 'bogus' })), 'invalid_types')
  })

  it('page through threads and members without losing or repeating anybody', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const ts = chat.ts('late')
    for (let n = 0; n < 5; n++) await chat.bot.chat.postMessage({ channel, text: `r${n}`, thread_ts: ts })
    const replies: string[] = []
    for await (const page of chat.bot.paginate('conversations.replies', { channel, ts, limit: 3 }))
      replies.push(...((page as { messages?: { ts: string }[] }).messages ?? []).map((message) => message.ts))
    assert.equal(new Set(replies).size, 8)
    const members: string[] = []
    for await (const page of chat.bot.paginate('conversations.members', { channel, limit: 1 }))
      members.push(...((page as { members?: string[] }).members ?? []))
    assert.equal(members.length, 4)
    assert.equal(new Set(members).size, 4)
  })
})

describe('lists', () => {
  it('page by one through channels of every kind, people and scheduled messages', async () => {
    await using chat = await startChat()
    await chat.dev.conversations.open({ users: chat.user('lucia') })
    await chat.dev.conversations.open({ users: `${chat.user('lucia')},${chat.user('mira')}` })
    for (let n = 1; n <= 3; n++) {
      const post_at = chat.host.clock.now / 1_000 + 60
      await chat.dev.chat.scheduleMessage({ channel: chat.channel('pumps'), text: `${n}`, post_at })
    }
    const types = 'public_channel,private_channel,im,mpim'
    const walk = async (method: string, field: string, args: object): Promise<unknown[]> => {
      const found: unknown[] = []
      for await (const page of chat.dev.paginate(method, { ...args, limit: 1 }))
        found.push(...Object(page)[field])
      return found.map((item) => Object(item).id)
    }
    const channels = await walk('conversations.list', 'channels', { types })
    assert.equal(new Set(channels).size, 7)
    assert.deepEqual(await walk('users.conversations', 'channels', { types }), channels)
    assert.equal(new Set(await walk('chat.scheduledMessages.list', 'scheduled_messages', {})).size, 3)
    const both = await raw(chat, `users.info?users=${chat.user('dev')},${chat.user('mira')}`)
    assert.equal((both.body.users as unknown[]).length, 2)
  })
})

describe('the wire', () => {
  it('warns of character sets, escapes its bytes and names failures in a header', async () => {
    await using chat = await startChat()
    const json = await rawJson(chat, 'auth.test', {}, 'application/json')
    assert.deepEqual(json.body.response_metadata, { warnings: ['missing_charset'] })
    const form = await raw(chat, 'auth.test', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: 'a=1',
    })
    assert.equal(form.body.warning, 'superfluous_charset')
    const info = await raw(chat, `users.info?user=${chat.user('lucia')}`)
    assert.match(info.text, /Luc\\u00eda/)
    assert.match(info.text, /http:\\\/\\\/127/)
    const failed = await raw(chat, 'users.info?user=U1')
    assert.equal(failed.headers.get('x-slack-failure'), 'user_not_found')
    assert.match(failed.headers.get('x-oauth-scopes') ?? '', /chat:write/)
    assert.equal(failed.headers.get('x-accepted-oauth-scopes'), 'users:read')
    const odd = await raw(chat, 'api.test?error=%E2%80%94%0A')
    assert.equal(odd.body.error, '—\n')
  })

  it('reads JSON only where the method takes it, and says what is wrong with a body', async () => {
    await using chat = await startChat()
    const send = (method: string, type: string, body: string) =>
      raw(chat, method, { method: 'POST', headers: { 'content-type': type }, body })
    const channel = chat.channel('pumps')
    assert.equal((await rawJson(chat, 'conversations.info', { channel })).body.error, 'invalid_arguments')
    assert.equal((await send('chat.postMessage', 'application/json', '{')).body.error, 'invalid_json')
    assert.equal((await send('chat.postMessage', 'application/json', '[]')).body.error, 'json_not_object')
    assert.equal((await send('chat.postMessage', 'text/plain', 'x')).body.error, 'invalid_post_type')
    assert.equal(
      (await send('chat.postMessage', 'multipart/form-data; boundary=b', 'x')).body.error,
      'invalid_form_data',
    )
    const form = new FormData()
    form.set('channel', channel)
    form.set('text', 'In parts — ü')
    const posted = await raw(chat, 'chat.postMessage', { method: 'POST', body: form })
    assert.equal((posted.body.message as { text: string }).text, 'In parts — ü')
  })

  it('takes incoming webhooks and answers them in plain text', async () => {
    await using chat = await startChat()
    const { team_id, bot_id } = await chat.bot.auth.test()
    const secret = hash('sha256', chat.host.token).slice(0, 24)
    const post = (path: string, body: unknown) =>
      fetch(`${chat.host.baseUrl}/services/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const overridden = {
      text: 'Disk & full',
      username: 'Monitor',
      channel: '#deal-desk',
      icon_emoji: ':ghost:',
    }
    const reply = await post(`${team_id}/${bot_id}/${secret}`, overridden)
    assert.equal(await reply.text(), 'ok')
    const { messages } = await chat.bot.conversations.history({ channel: chat.channel('general'), limit: 1 })
    assert.equal(messages?.[0]?.text, 'Disk &amp; full', 'channel overrides are ignored')
    assert.notEqual(messages?.[0]?.username, 'Monitor')
    assert.equal(await (await post(`${team_id}/${bot_id}/${secret}`, {})).text(), 'no_text')
    assert.equal(await (await post(`${team_id}/${bot_id}/${secret}`, '{')).text(), 'invalid_payload')
    assert.equal((await post(`${team_id}/${bot_id}/nonsense`, { text: 'x' })).status, 403)
    assert.equal((await post('T1/B1/x', { text: 'x' })).status, 404)
    assert.deepEqual(chat.host.failures, [])
  })

  it('shows files to those who share a channel with them, and pictures to everyone', async () => {
    await using chat = await startChat()
    const upload = await chat.lucia.filesUploadV2({
      file: Buffer.from('private'),
      filename: 'deal.txt',
      channel_id: chat.channel('deal-desk'),
    })
    const id = (upload as unknown as { files: { files: { id: string; url_private: string }[] }[] }).files[0]
      ?.files[0]
    const read = (token: string | undefined) =>
      fetch(id?.url_private ?? '', { redirect: 'manual', headers: { authorization: `Bearer ${token}` } })
    assert.equal(await (await read(chat.host.tokens.dev)).text(), 'private')
    assert.equal((await read(chat.host.tokens.mira)).status, 404)
    assert.equal(await refusal(chat.mira.files.info({ file: id?.id ?? '' })), 'file_not_found')
    assert.equal(await refusal(chat.dev.files.delete({ file: id?.id ?? '' })), 'cant_delete_file')
    const info = await chat.bot.users.info({ user: chat.user('dev') })
    const picture = await fetch(info.user?.profile?.image_48 ?? '')
    assert.equal(picture.headers.get('content-type'), 'image/png')
    assert.equal(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
      'PNG',
    )
  })
})
