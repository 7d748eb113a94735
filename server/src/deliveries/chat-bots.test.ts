import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import bolt from '@slack/bolt'
import { SocketModeClient } from '@slack/socket-mode'
import { eventually } from '../../../test/eventually.ts'
import { type TestService, testService } from '../testing.ts'
import { freePort, openChat, type TestChat } from './testing-chat.ts'

let service: TestService
before(async () => {
  service = await testService({ deliveryAllow: ['127.0.0.0/8'] })
})
after(() => service[Symbol.asyncDispose]())

/** What every bot of these tests does: it answers a mention in a thread, and notes every event. */
const conversation = (app: InstanceType<typeof bolt.App>, heard: string[]): void => {
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: `You said: ${event.text.replace(/<@\w+>\s*/, '')}`, thread_ts: event.ts })
  })
  for (const type of ['reaction_added', 'channel_created', 'member_joined_channel', 'pin_added'] as const)
    app.event(type, async () => void heard.push(type))
  app.message(/ping/, async ({ say }) => {
    await say('pong')
  })
  app.error(async (error) => void heard.push(String(error)))
}

const talk = async (chat: TestChat, heard: string[]): Promise<void> => {
  const bot = chat.settings.bot_user_id as string
  const { ts } = await chat.say(chat.channel, `<@${bot}> are the pumps late?`)
  await eventually(async () => {
    const { messages } = await chat.as('integration', 'conversations.replies', { channel: chat.channel, ts })
    return messages.some(({ text }: { text: string }) => text === 'You said: are the pumps late?')
  })
  await chat.say(chat.channel, 'ping')
  await eventually(async () => (await chat.history(chat.channel)).includes('pong'))
  await chat.as(chat.person, 'reactions.add', { channel: chat.channel, timestamp: ts, name: 'eyes' })
  await chat.as(chat.person, 'pins.add', { channel: chat.channel, timestamp: ts })
  await chat.as(chat.person, 'conversations.create', { name: 'a-new-room' })
  await eventually(() =>
    ['reaction_added', 'pin_added', 'channel_created'].every((type) => heard.includes(type)),
  )
  assert.deepEqual(
    heard.filter((entry) => entry.includes('Error')),
    [],
  )
}

const bot_events = [
  'app_mention',
  'message.channels',
  'message.im',
  'reaction_added',
  'pin_added',
  'channel_created',
]

describe('an unmodified Bolt app', () => {
  it('holds a conversation over HTTP: its address is verified and every request is signed', async () => {
    const chat = await openChat(service)
    const port = await freePort()
    const heard: string[] = []
    const app = new bolt.App({
      token: chat.token,
      signingSecret: chat.settings.credentials.signing_secret,
      logLevel: bolt.LogLevel.ERROR,
      clientOptions: { slackApiUrl: chat.apiUrl },
    })
    conversation(app, heard)
    await app.start(port)
    try {
      const request_url = `http://127.0.0.1:${port}/slack/events`
      const { body } = await chat.configure({
        settings: { event_subscriptions: { request_url, bot_events } },
      })
      assert.equal(body.request_url_status, 'pending')
      await eventually(
        async () =>
          (await service.call('GET', `${chat.base}/settings`)).body.request_url_status === 'verified',
      )
      await talk(chat, heard)
      const kinds = new Set((await chat.deliveries('&status=delivered')).map(({ kind }) => kind))
      assert.ok(kinds.has('app_mention') && kinds.has('message.channels'))
    } finally {
      await app.stop()
    }
  })

  it('holds the same conversation over Socket Mode, without any configuration', async () => {
    const chat = await openChat(service)
    const heard: string[] = []
    const app = new bolt.App({
      token: chat.token,
      appToken: chat.settings.credentials.app_token,
      socketMode: true,
      logLevel: bolt.LogLevel.ERROR,
      clientOptions: { slackApiUrl: chat.apiUrl },
    })
    conversation(app, heard)
    await app.start()
    try {
      await talk(chat, heard)
    } finally {
      await app.stop()
    }
  })
})

describe('Socket Mode', () => {
  it('greets, balances envelopes over connections, and sends what was not acknowledged again', async () => {
    const chat = await openChat(service)
    const got = [[], []] as [string[], string[]]
    let silent = true
    const clients = got.map((list) => {
      const client = new SocketModeClient({
        appToken: chat.settings.credentials.app_token,
        clientOptions: { slackApiUrl: chat.apiUrl },
        logLevel: bolt.LogLevel.ERROR as never,
      })
      client.on('message', async ({ ack, body, retry_num }) => {
        list.push(`${body.event_id} ${retry_num ?? 0}`)
        if (silent) silent = false
        else await ack()
      })
      return client
    })
    await Promise.all(clients.map((client) => client.start()))
    try {
      for (let n = 0; n < 24; n++) await chat.say(chat.channel, `note ${n}`)
      await eventually(async () => (await chat.deliveries('&status=delivered')).length === 24)
      const all = got.flat()
      assert.equal(all.length, 25)
      assert.equal(new Set(all.map((entry) => entry.split(' ')[0])).size, 24)
      assert.equal(all.filter((entry) => entry.endsWith(' 1')).length, 1)
      assert.ok(got[0].length >= 2 && got[1].length >= 2)
    } finally {
      await Promise.all(clients.map((client) => client.disconnect()))
    }
  })

  it('takes the app-level token alone, and a ticket once', async () => {
    const chat = await openChat(service)
    const open = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const reply = await fetch(`${chat.apiUrl}apps.connections.open`, { method: 'POST', headers })
      return (await reply.json()) as { ok: boolean; error?: string; url: string }
    }
    assert.equal((await open(chat.token)).error, 'not_allowed_token_type')
    assert.equal((await open('xapp-1-A-1-none')).error, 'invalid_auth')
    const { url } = await open(chat.settings.credentials.app_token)
    const greeted = (address: string) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address)
        socket.onmessage = ({ data }) => {
          resolve(JSON.parse(String(data)).type)
          socket.close()
        }
        socket.onerror = () => resolve('refused')
      })
    assert.equal(await greeted(url), 'hello')
    assert.equal(await greeted(url), 'refused')
    assert.equal(await greeted(url.replace(chat.id, 'twn_none')), 'refused')
    const plain = await fetch(url.replace(/^ws/, 'http'))
    assert.equal(plain.status, 400)
  })
})

/** Blocks with a button, and a modal with one input. */
const buttons = [
  {
    type: 'actions',
    block_id: 'choice',
    elements: [
      { type: 'button', action_id: 'approve', text: { type: 'plain_text', text: 'Approve' }, value: 'PO-7' },
    ],
  },
]
const modal = {
  type: 'modal' as const,
  callback_id: 'reason',
  title: { type: 'plain_text' as const, text: 'Reason' },
  submit: { type: 'plain_text' as const, text: 'Send' },
  blocks: [
    {
      type: 'input' as const,
      block_id: 'why',
      label: { type: 'plain_text' as const, text: 'Why?' },
      element: { type: 'plain_text_input' as const, action_id: 'text' },
    },
  ],
}

for (const mode of ['HTTP', 'Socket Mode'] as const)
  describe(`a Bolt app with buttons, over ${mode}`, () => {
    it('is pressed, opens a modal, refuses and takes a submission, and answers a command', async () => {
      const chat = await openChat(service)
      const port = await freePort()
      const { credentials } = chat.settings
      const app = new bolt.App({
        token: chat.token,
        logLevel: bolt.LogLevel.ERROR,
        clientOptions: { slackApiUrl: chat.apiUrl },
        ...(mode === 'HTTP'
          ? { signingSecret: credentials.signing_secret }
          : { socketMode: true, appToken: credentials.app_token }),
      })
      const heard: string[] = []
      app.action('approve', async ({ ack, body, client, respond, action }) => {
        await ack()
        heard.push(`pressed ${(action as { value?: string }).value}`)
        const { trigger_id } = body as { trigger_id: string }
        await client.views.open({ trigger_id, view: modal })
        await respond({ replace_original: true, text: 'Approved' })
      })
      app.view('reason', async ({ ack, view }) => {
        const text = view.state.values.why?.text?.value ?? ''
        if (text.length < 3) await ack({ response_action: 'errors', errors: { why: 'Say more.' } })
        else await ack()
        heard.push(`said ${text}`)
      })
      app.command('/stock', async ({ ack, command }) => {
        await ack({ response_type: 'in_channel', text: `Stock of ${command.text}: 4` })
      })
      app.shortcut('report', async ({ ack, shortcut }) => {
        await ack()
        heard.push(`shortcut ${shortcut.type}`)
      })
      await app.start(...(mode === 'HTTP' ? [port] : []))
      try {
        const request_url = `http://127.0.0.1:${port}/slack/events`
        const settings =
          mode === 'HTTP'
            ? { interactivity: { is_enabled: true, request_url } }
            : { socket_mode_enabled: true }
        const slash_commands = [{ command: '/stock', url: request_url }]
        await chat.configure({ settings, features: { slash_commands } })
        const act = (input: object) =>
          service.call('POST', `${chat.base}/interactions`, { as: chat.person, ...input })
        const { ts } = await chat.as('integration', 'chat.postMessage', {
          channel: chat.channel,
          text: 'Approve?',
          blocks: JSON.stringify(buttons),
        })
        const press = { type: 'block_actions', channel: chat.channel, ts, action_id: 'approve' }
        assert.equal((await act({ ...press, action_id: 'reject' })).body.details[0].pointer, '/action_id')
        assert.equal((await act({ ...press, as: 'nobody' })).body.details[0].pointer, '/as')
        assert.equal((await act(press)).status, 200)
        await eventually(async () => (await chat.history(chat.channel)).includes('Approved'))
        const views = async () => (await service.call('GET', `${chat.base}/state?collection=view`)).body.items
        const [{ id: view_id }] = await views()
        await act({ type: 'view_submission', view_id, values: { text: 'no' } })
        await eventually(async () => (await views())[0]?.record.errors?.why === 'Say more.')
        await act({ type: 'view_submission', view_id, values: { text: 'The price fell' } })
        await eventually(async () => (await views()).length === 0)
        await act({ type: 'slash_command', command: '/stock', text: 'pumps', channel: chat.channel })
        await eventually(async () => (await chat.history(chat.channel)).includes('Stock of pumps: 4'))
        await act({ type: 'shortcut', callback_id: 'report' })
        await eventually(() => heard.length === 4)
        assert.deepEqual(heard, ['pressed PO-7', 'said no', 'said The price fell', 'shortcut shortcut'])
        const activity = await service.call('GET', `${chat.base}/activity?operation=interact&limit=50`)
        assert.equal(activity.body.items[0].actor.subject, chat.person)
      } finally {
        await app.stop()
      }
    })
  })
