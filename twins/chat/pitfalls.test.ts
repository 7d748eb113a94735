import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { LogLevel, WebClient } from '@slack/web-api'
import { refusal, startChat } from './testing/client.ts'
import { raw, rawForm, rawJson } from './testing/raw.ts'
import { chat as twin } from './twin.ts'

interface Seen {
  readonly ts: string
  readonly text: string
  readonly [field: string]: unknown
}
const messagesOf = (body: Record<string, unknown>): Seen[] => body.messages as Seen[]

describe('pitfalls of naive emulators', () => {
  it('1: a method that is not emulated is one answered request at 200, never a retry', async () => {
    await using chat = await startChat()
    assert.equal(await refusal(chat.bot.apiCall('foo.bar')), 'unknown_method')
    assert.equal(
      await refusal(chat.bot.apiCall('workflows.featured.list', { channel_ids: 'C1' })),
      'missing_scope',
    )
    assert.equal(await refusal(chat.bot.apiCall('admin.users.list')), 'not_allowed_token_type')
    assert.equal(chat.host.steps.length, 3)
    assert.deepEqual(
      chat.host.steps.flatMap(({ notEmulated }) => notEmulated),
      ['foo.bar', 'workflows.featured.list', 'admin.users.list'],
    )
    const { status, body } = await raw(chat, 'foo.bar')
    assert.equal(status, 200)
    assert.deepEqual(body, { ok: false, error: 'unknown_method', req_method: 'foo.bar' })
    const scope = await raw(chat, 'workflows.featured.list', { method: 'POST' })
    assert.equal(scope.body.needed, 'bookmarks:read')
    assert.match(String(scope.body.provided), /chat:write/)
  })

  it('2: nothing under /api/ redirects, with a trailing slash or without', async () => {
    await using chat = await startChat()
    for (const path of ['auth.test', 'auth.test/', 'no.such/'])
      assert.equal((await raw(chat, path)).status, 200)
    assert.equal((await raw(chat, 'auth.test/')).body.ok, true)
  })

  it('3: every method answers GET and POST', async () => {
    await using chat = await startChat()
    const query = `conversations.history?channel=${chat.channel('pumps')}`
    assert.equal((await raw(chat, query)).body.ok, true)
    assert.equal((await raw(chat, query, { method: 'POST' })).body.ok, true)
    const post = `chat.postMessage?channel=${chat.channel('pumps')}&text=hi`
    assert.equal((await raw(chat, post)).body.ok, true)
  })

  it('4: JSON text in forms is parsed, numbers arrive as text, and a ts is text or refused', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const blocks = JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text: 'In a form' } }])
    const posted = await rawForm(chat, 'chat.postMessage', { channel, blocks, text: 'x' })
    assert.equal((posted.body.message as { blocks: { type: string }[] }).blocks[0]?.type, 'section')
    const page = await rawForm(chat, 'conversations.history', { channel, limit: '2' })
    assert.equal(messagesOf(page.body).length, 2)
    const bad = await rawJson(chat, 'conversations.history', { channel, latest: 1771747200.0001 })
    assert.equal(bad.body.error, 'invalid_arguments')
    assert.match(
      JSON.stringify(bad.body.response_metadata),
      /must provide a string \[json-pointer:\/latest\]/,
    )
    assert.equal((await rawJson(chat, 'conversations.history', { channel, limit: 2 })).body.ok, true)
  })

  it('5: the token may be a header or an argument, and no other token is taken', async () => {
    await using chat = await startChat()
    const anonymous = { token: null }
    assert.equal((await raw(chat, 'auth.test', anonymous)).body.error, 'not_authed')
    assert.equal((await raw(chat, 'auth.test', { token: 'xoxb-1-2-nonsense' })).body.error, 'invalid_auth')
    assert.equal((await raw(chat, `auth.test?token=${chat.host.token}`, anonymous)).body.ok, true)
    const form = new URLSearchParams({ token: chat.host.token })
    assert.equal((await raw(chat, 'auth.test', { ...anonymous, method: 'POST', body: form })).body.ok, true)
    await chat.dev.auth.revoke()
    assert.equal(await refusal(chat.dev.auth.test()), 'token_revoked')
    assert.equal(
      await refusal(chat.bot.apiCall('users.profile.set', { profile: {} })),
      'not_allowed_token_type',
    )
  })

  it('6: list methods end with an empty next_cursor', async () => {
    await using chat = await startChat()
    for (const method of [
      'conversations.list',
      'users.list',
      'users.conversations',
      'chat.scheduledMessages.list',
    ])
      assert.deepEqual((await raw(chat, method)).body.response_metadata, { next_cursor: '' }, method)
    const members = await raw(chat, `conversations.members?channel=${chat.channel('pumps')}`)
    assert.deepEqual(members.body.response_metadata, { next_cursor: '' })
    const ids: (string | undefined)[] = []
    for await (const page of chat.bot.paginate('users.list', { limit: 2 }))
      ids.push(...((page as { members?: { id?: string }[] }).members ?? []).map(({ id }) => id))
    assert.equal(ids.length, 5)
    assert.equal(new Set(ids).size, 5)
  })

  it('7: a message that arrives between two pages shifts nothing', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const first = await chat.bot.conversations.history({ channel, limit: 2 })
    await chat.bot.chat.postMessage({ channel, text: 'In between' })
    const second = await chat.bot.conversations.history({
      channel,
      limit: 2,
      cursor: first.response_metadata?.next_cursor ?? '',
    })
    const all = await chat.bot.conversations.history({ channel })
    const expected = all.messages?.slice(1, 5).map(({ ts }) => ts)
    assert.deepEqual(
      [...(first.messages ?? []), ...(second.messages ?? [])].map(({ ts }) => ts),
      expected,
    )
    assert.equal(
      await refusal(chat.bot.conversations.history({ channel, cursor: 'nonsense' })),
      'invalid_cursor',
    )
  })

  it('8: each ts is new and greater, even while the clock stands still', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const stamps: string[] = []
    for (let n = 0; n < 5; n++)
      stamps.push((await chat.bot.chat.postMessage({ channel, text: `${n}` })).ts ?? '')
    assert.equal(new Set(stamps).size, 5)
    assert.deepEqual(stamps, stamps.toSorted())
    await chat.bot.chat.delete({ channel, ts: stamps[4] ?? '' })
    const after = await chat.bot.chat.postMessage({ channel, text: 'again' })
    assert.ok((after.ts ?? '') > (stamps[4] ?? ''), 'a deleted ts is not given out again')
  })

  it('9: history is newest first and holds no replies but those sent to the channel too', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const thread_ts = chat.ts('late')
    await chat.bot.chat.postMessage({ channel, text: 'Quiet reply', thread_ts })
    await chat.bot.chat.postMessage({ channel, text: 'Loud reply', thread_ts, reply_broadcast: true })
    const { messages = [] } = await chat.bot.conversations.history({ channel })
    const stamps = messages.map(({ ts }) => ts ?? '')
    assert.deepEqual(stamps, stamps.toSorted().toReversed())
    const texts = messages.map(({ text }) => text)
    assert.ok(texts.includes('Loud reply') && !texts.includes('Quiet reply'))
    const loud = messages.find(({ text }) => text === 'Loud reply')
    assert.equal(loud?.subtype, 'thread_broadcast')
    assert.equal(loud?.root?.ts, thread_ts)
  })

  it('10: a parent carries its thread, and replies carry their parent', async () => {
    await using chat = await startChat()
    const channel = chat.channel('pumps')
    const ts = chat.ts('late')
    const reply = await chat.bot.chat.postMessage({ channel, text: 'Third', thread_ts: ts })
    const { messages = [] } = await chat.bot.conversations.replies({ channel, ts })
    const [parent, ...replies] = messages as unknown as Seen[]
    assert.equal(parent?.thread_ts, ts)
    assert.equal(parent?.reply_count, 3)
    assert.equal(parent?.reply_users_count, 3)
    assert.equal(parent?.latest_reply, reply.ts)
    assert.deepEqual(
      replies.map(({ thread_ts }) => thread_ts),
      [ts, ts, ts],
    )
    assert.ok(replies.every(({ parent_user_id }) => parent_user_id === chat.user('dev')))
    await chat.bot.chat.delete({ channel, ts: reply.ts ?? '' })
    const after = await chat.bot.conversations.replies({ channel, ts })
    assert.equal((after.messages?.[0] as { reply_count?: number } | undefined)?.reply_count, 2)
  })

  it('11: text is escaped, plain text gains rich text, and a bot has its profile', async () => {
    await using chat = await startChat()
    const { message } = await chat.bot.chat.postMessage({
      channel: chat.channel('pumps'),
      text: `a < b & c > d <@${chat.user('dev')}> https://x.example 🚀`,
    })
    assert.equal(message?.text, `a &lt; b &amp; c &gt; d <@${chat.user('dev')}> <https://x.example> :rocket:`)
    assert.equal(message?.blocks?.[0]?.type, 'rich_text')
    assert.equal(message?.bot_profile?.id, message?.bot_id)
    const mine = await chat.mira.chat.postMessage({ channel: chat.channel('pumps'), text: 'x' })
    assert.equal(mine.message?.bot_id, undefined)
  })

  it('12: auth.test names the twin itself with a slash, and permalinks begin with it', async () => {
    await using chat = await startChat()
    const { url } = await chat.bot.auth.test()
    assert.equal(url, `${chat.host.baseUrl}/`)
    const link = await chat.bot.chat.getPermalink({
      channel: chat.channel('pumps'),
      message_ts: chat.ts('late'),
    })
    const place = `archives/${chat.channel('pumps')}/p${chat.ts('late').replace('.', '')}`
    assert.equal(link.permalink, `${url}${place}`)
  })

  it('13: each absence has its own word', async () => {
    await using chat = await startChat()
    const { bot, mira } = chat
    const channel = chat.channel('pumps')
    assert.equal(await refusal(bot.users.lookupByEmail({ email: 'no@one.example' })), 'users_not_found')
    assert.equal(await refusal(bot.users.info({ user: 'U000' })), 'user_not_found')
    assert.equal(await refusal(bot.conversations.info({ channel: 'C000' })), 'channel_not_found')
    assert.equal(await refusal(bot.conversations.info({ channel: '' })), 'channel_not_found')
    assert.equal(await refusal(bot.conversations.replies({ channel, ts: '' })), 'thread_not_found')
    const missing = await raw(chat, 'conversations.info')
    assert.deepEqual(missing.body.response_metadata, {
      messages: ['[ERROR] missing required field: channel'],
    })
    assert.equal(missing.body.error, 'invalid_arguments')
    const made = await mira.conversations.create({ name: 'without-bot' })
    assert.equal(
      await refusal(bot.conversations.history({ channel: made.channel?.id ?? '' })),
      'not_in_channel',
    )
  })

  it('14: search shows what the caller can see, and is closed to bots', async () => {
    await using chat = await startChat()
    const total = async (client: typeof chat.bot, query: string) =>
      (await client.search.messages({ query })).messages?.total
    assert.equal(await total(chat.lucia, 'discount'), 1)
    assert.equal(await total(chat.mira, 'discount'), 0)
    assert.equal(await total(chat.mira, 'Contoso'), 1)
    for (const method of ['search.messages', 'search.files', 'search.all'])
      assert.equal(await refusal(chat.bot.apiCall(method, { query: 'Contoso' })), 'not_allowed_token_type')
    assert.equal(await refusal(chat.bot.apiCall('stars.list')), 'not_allowed_token_type')
  })

  it('15: uploaded bytes are kept as they were, sent raw or in a multipart body', async () => {
    await using chat = await startChat()
    const body = Buffer.from('a=1&b=%20\r\n--x\u0000\u00ff', 'latin1')
    const form = new FormData()
    form.set('body', new Blob([body]), 'Untitled')
    for (const sent of [body, form]) {
      const ticket = await chat.bot.files.getUploadURLExternal({ filename: 'x.bin', length: body.length })
      const headers = sent === body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
      const reply = await fetch(ticket.upload_url ?? '', { method: 'POST', body: sent, headers })
      assert.equal(await reply.text(), `OK - ${body.length}`)
      const done = await chat.bot.files.completeUploadExternal({
        files: [{ id: ticket.file_id ?? '', title: 'x' }],
      })
      const url = done.files?.[0]?.url_private ?? ''
      const read = await fetch(url, { headers: { authorization: `Bearer ${chat.host.token}` } })
      assert.deepEqual(Buffer.from(await read.arrayBuffer()), body)
      assert.equal((await fetch(url, { redirect: 'manual' })).status, 302)
    }
  })

  it('16: opening a direct message twice gives the same one, and a person’s id is a place to post', async () => {
    await using chat = await startChat()
    const users = chat.user('dev')
    const first = await chat.bot.conversations.open({ users })
    const second = await chat.bot.conversations.open({ users })
    assert.equal(second.channel?.id, first.channel?.id)
    assert.equal(second.already_open, true)
    const posted = await chat.bot.chat.postMessage({ channel: users, text: 'Just you' })
    assert.equal(posted.channel, first.channel?.id)
    assert.equal(
      await refusal(chat.mira.conversations.history({ channel: posted.channel ?? '' })),
      'channel_not_found',
    )
    assert.equal(
      (await chat.dev.conversations.history({ channel: posted.channel ?? '' })).messages?.[0]?.text,
      'Just you',
    )
  })

  it('17: private channels exist for their members alone, and is_member is the caller’s', async () => {
    await using chat = await startChat()
    const names = async (client: typeof chat.bot) =>
      (await client.conversations.list({ types: 'public_channel,private_channel' })).channels
        ?.map(({ name }) => name)
        .sort()
    assert.deepEqual(await names(chat.lucia), ['deal-desk', 'general', 'old-stuff', 'pumps'])
    assert.deepEqual(await names(chat.bot), ['general', 'old-stuff', 'ops-private', 'pumps'])
    assert.equal(
      await refusal(chat.bot.conversations.info({ channel: chat.channel('deal-desk') })),
      'channel_not_found',
    )
    const made = (await chat.mira.conversations.create({ name: 'miras' })).channel?.id ?? ''
    assert.equal((await chat.mira.conversations.info({ channel: made })).channel?.is_member, true)
    assert.equal((await chat.dev.conversations.info({ channel: made })).channel?.is_member, false)
  })

  it('18: joining, topics and renaming leave the service’s own messages in history', async () => {
    await using chat = await startChat()
    const channel = (await chat.bot.conversations.create({ name: 'launch' })).channel?.id ?? ''
    await chat.bot.conversations.invite({ channel, users: chat.user('dev') })
    await chat.bot.conversations.setTopic({ channel, topic: 'Go' })
    await chat.bot.conversations.setPurpose({ channel, purpose: 'Launch' })
    await chat.bot.conversations.rename({ channel, name: 'lift-off' })
    const { messages = [] } = await chat.bot.conversations.history({ channel })
    assert.deepEqual(
      messages.map(({ subtype }) => subtype),
      ['channel_name', 'channel_purpose', 'channel_topic', 'channel_join', 'channel_join'],
    )
  })

  it('19: reactions with an unknown emoji are refused, and aliases are one emoji', async () => {
    await using chat = await startChat()
    const item = { channel: chat.channel('pumps'), timestamp: chat.ts('late') }
    assert.equal(await refusal(chat.bot.reactions.add({ ...item, name: 'no_such_emoji' })), 'invalid_name')
    await chat.bot.reactions.add({ ...item, name: 'thumbsup' })
    assert.equal(await refusal(chat.bot.reactions.add({ ...item, name: '+1' })), 'already_reacted')
    assert.equal(await refusal(chat.bot.reactions.remove({ ...item, name: 'tada' })), 'no_reaction')
  })

  it('20: a limit is 429 with whole seconds, and the client waits for it', async () => {
    const request = {
      method: 'POST',
      path: '/api/auth.test',
      query: '',
      headers: {},
      body: new Uint8Array(),
      baseUrl: '',
    }
    const limited = twin.fault({ kind: 'rate_limited', retryAfterSeconds: 0.2 }, request)
    assert.equal(limited.status, 429)
    assert.equal(limited.headers['retry-after'], '1')
    assert.deepEqual(JSON.parse(String(limited.body)), { ok: false, error: 'ratelimited' })
    assert.equal(twin.fault({ kind: 'internal' }, request).status, 200)
    const replies = [
      limited,
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
    ]
    const server = createServer((_request, response) => {
      const reply = replies.shift()
      response.writeHead(reply?.status ?? 500, { ...(reply?.headers as Record<string, string>) })
      response.end(reply?.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const client = new WebClient('xoxb-1', {
      slackApiUrl: `http://127.0.0.1:${port}/api/`,
      logLevel: LogLevel.ERROR,
    })
    assert.equal((await client.auth.test()).ok, true)
    server.closeAllConnections()
    server.close()
  })
})
