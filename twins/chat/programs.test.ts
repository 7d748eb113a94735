import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import bolt from '@slack/bolt'
import { WebClient as WebClient7 } from 'slack-web-api-7'
import { startChat } from './testing/client.ts'
import { hasProgram, runProgram, startMcp } from './testing/program.ts'

type Answer = Record<string, unknown> & { ok: boolean }
interface Message {
  readonly text: string
  readonly ts: string
}

describe('programs that were not written for a twin', () => {
  it('version 7 of the client talks, uploads and pages', async () => {
    await using chat = await startChat()
    const web = new WebClient7(chat.host.token, { slackApiUrl: `${chat.host.baseUrl}/api/` })
    const { ts } = await web.chat.postMessage({
      channel: chat.channel('pumps'),
      text: 'From seven',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*From* seven' } }],
    })
    await web.chat.postMessage({ channel: chat.channel('pumps'), text: 'Reply', thread_ts: ts ?? '' })
    const upload = await web.filesUploadV2({
      channel_id: chat.channel('pumps'),
      file: Buffer.from('bytes'),
      filename: 'seven.txt',
    })
    assert.equal(upload.ok, true)
    const seen: string[] = []
    for await (const page of web.paginate('conversations.history', {
      channel: chat.channel('pumps'),
      limit: 3,
    }))
      seen.push(...((page as { messages?: Message[] }).messages ?? []).map((message) => message.ts))
    assert.equal(new Set(seen).size, seen.length)
    assert.deepEqual(seen, seen.toSorted().toReversed())
    assert.deepEqual(chat.host.failures, [])
  })

  it('a Bolt app starts and answers in a channel', async () => {
    await using chat = await startChat()
    const app = new bolt.App({
      token: chat.host.token,
      signingSecret: 'secret',
      clientOptions: { slackApiUrl: `${chat.host.baseUrl}/api/` },
      deferInitialization: true,
    })
    await app.init()
    const { ts } = await app.client.chat.postMessage({
      channel: chat.channel('general'),
      text: 'Hello from Bolt',
    })
    assert.match(ts ?? '', /^\d{10}\.\d{6}$/)
    assert.deepEqual(chat.host.failures, [])
  })

  it('the reference MCP server lists, reads, posts, replies and reacts by the real host name', async () => {
    await using chat = await startChat()
    const info = await chat.bot.auth.test()
    await using server = await startMcp({
      path: 'node_modules/@modelcontextprotocol/server-slack/dist/index.js',
      env: { SLACK_BOT_TOKEN: chat.host.token, SLACK_TEAM_ID: info.team_id ?? '' },
      twin: chat.host.baseUrl,
    })
    const channel_id = chat.channel('pumps')
    const listed = (await server.tool('slack_list_channels', {})) as { channels: { name: string }[] }
    assert.deepEqual(listed.channels.map(({ name }) => name).sort(), ['general', 'pumps'])
    const history = (await server.tool('slack_get_channel_history', { channel_id })) as {
      messages: Message[]
    }
    assert.equal(history.messages[0]?.text, 'Build 41 passed')
    const posted = (await server.tool('slack_post_message', { channel_id, text: 'Over MCP' })) as Answer & {
      ts: string
    }
    assert.equal(posted.warning, 'missing_charset')
    const thread_ts = posted.ts
    assert.equal(
      ((await server.tool('slack_reply_to_thread', { channel_id, thread_ts, text: 'Yes' })) as Answer).ok,
      true,
    )
    const reaction = await server.tool('slack_add_reaction', {
      channel_id,
      timestamp: thread_ts,
      reaction: 'eyes',
    })
    assert.equal((reaction as Answer).ok, true)
    const replies = (await server.tool('slack_get_thread_replies', { channel_id, thread_ts })) as {
      messages: Message[]
    }
    assert.deepEqual(
      replies.messages.map(({ text }) => text),
      ['Over MCP', 'Yes'],
    )
    const users = (await server.tool('slack_get_users', {})) as { members: { name: string }[] }
    assert.ok(users.members.some(({ name }) => name === 'lucia'))
    const profile = await server.tool('slack_get_user_profile', { user_id: chat.user('lucia') })
    assert.equal((profile as { profile: { title: string } }).profile.title, 'Account Executive')
    assert.deepEqual(chat.host.failures, [])
  })

  it('another MCP server searches and reads threads as a person, by the real host name', async () => {
    await using chat = await startChat()
    await using server = await startMcp({
      path: 'node_modules/slack-mcp/build/index.js',
      env: { SLACK_AUTH_USER_TOKEN: chat.host.tokens.mira ?? '', SLACK_SEARCH_CHANNELS: 'general,pumps' },
      twin: chat.host.baseUrl,
    })
    const found = JSON.stringify(
      await server.tool('search_messages', { query: 'invoices', includeThreads: true }),
    )
    assert.match(found, /invoices are late/)
    assert.match(found, /Asking the supplier/)
    const thread = await server.tool('get_message_thread', {
      channelId: chat.channel('pumps'),
      ts: chat.ts('late'),
    })
    assert.match(JSON.stringify(thread), /Asking the supplier/)
    assert.deepEqual(chat.host.failures, [])
  })

  it('Python’s standard library posts, replies, searches, pages and uploads', async (test) => {
    if (!(await hasProgram('python3'))) return test.skip('python3 is not on this machine')
    await using chat = await startChat()
    const program = 'twins/chat/testing/client.py'
    const output = await runProgram('python3', [
      program,
      `${chat.host.baseUrl}/api/`,
      chat.host.token,
      chat.channel('pumps'),
      chat.host.tokens.mira ?? '',
    ])
    assert.deepEqual(JSON.parse(output), {
      replies: 2,
      found: 1,
      pages: true,
      size: 15,
      content: 'raw=bytes&x=1 %',
    })
    assert.deepEqual(chat.host.failures, [])
  })

  it('curl posts a form, reads with a token in the query, and uploads both ways', async (test) => {
    if (!(await hasProgram('curl'))) return test.skip('curl is not on this machine')
    await using chat = await startChat()
    const { baseUrl, token } = chat.host
    const curl = async (...args: string[]): Promise<Answer> =>
      JSON.parse(await runProgram('curl', ['-sS', ...args]))
    const bearer = ['-H', `Authorization: Bearer ${token}`]
    const channel = chat.channel('pumps')
    const posted = await curl(
      ...bearer,
      '-d',
      `channel=${channel}`,
      '--data-urlencode',
      'text=a & b',
      `${baseUrl}/api/chat.postMessage`,
    )
    assert.equal((posted.message as Message).text, 'a &amp; b')
    const read = await curl(
      '-X',
      'POST',
      `${baseUrl}/api/conversations.history?token=${token}&channel=${channel}&limit=1`,
    )
    assert.equal((read.messages as Message[])[0]?.text, 'a &amp; b')
    const { next_cursor } = read.response_metadata as { next_cursor: string }
    const older = await curl(
      ...bearer,
      '-G',
      '-d',
      `channel=${channel}&limit=1`,
      '--data-urlencode',
      `cursor=${next_cursor}`,
      `${baseUrl}/api/conversations.history`,
    )
    assert.equal((older.messages as Message[])[0]?.text, 'Build 41 passed')
    const replied = await curl(
      ...bearer,
      '-d',
      `channel=${channel}&text=yes&thread_ts=${String(posted.ts)}`,
      `${baseUrl}/api/chat.postMessage`,
    )
    assert.equal((replied.message as { thread_ts: string }).thread_ts, posted.ts)
    const found = await curl(
      ...['-H', `Authorization: Bearer ${chat.host.tokens.mira}`],
      '-G',
      '--data-urlencode',
      'query=in:#pumps invoices',
      `${baseUrl}/api/search.messages`,
    )
    assert.equal((found.messages as { total: number }).total, 1)
    for (const way of [
      ['-F', 'file=hello;filename=a.bin'],
      ['--data-binary', 'hello'],
    ]) {
      const ticket = await curl(
        ...bearer,
        '-F',
        'filename=a.bin',
        '-F',
        'length=5',
        `${baseUrl}/api/files.getUploadURLExternal`,
      )
      assert.equal(await runProgram('curl', ['-sS', ...way, String(ticket.upload_url)]), 'OK - 5')
      const done = await curl(
        ...bearer,
        '-d',
        `files=[{"id":"${String(ticket.file_id)}"}]&channel_id=${channel}`,
        `${baseUrl}/api/files.completeUploadExternal`,
      )
      const [file] = done.files as { url_private: string; size: number }[]
      assert.equal(file?.size, 5)
      assert.equal(await runProgram('curl', ['-sS', ...bearer, file?.url_private ?? '']), 'hello')
    }
    assert.deepEqual(chat.host.failures, [])
  })
})
