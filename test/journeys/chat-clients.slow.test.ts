import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { freePort, openChat, type TestChat } from '../../server/src/deliveries/testing-chat.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { eventually } from '../eventually.ts'

const run = promisify(execFile)

const pythonBot = `
import os
from slack_bolt import App
from slack_sdk import WebClient

client = WebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"])
app = App(client=client, signing_secret=os.environ["SLACK_SIGNING_SECRET"])

@app.event("app_mention")
def mentioned(event, say):
    say(text="On it", thread_ts=event["ts"])

@app.message("pumps")
def answer(message, say):
    say(text="Asked about: " + message["text"])
`

/** The same bot by both ways in which it can be called. */
const pythonHttp = `${pythonBot}
app.start(port=int(os.environ["PORT"]), path="/slack/events")
`
const pythonSocket = `${pythonBot}
from slack_bolt.adapter.socket_mode import SocketModeHandler
SocketModeHandler(app, os.environ["SLACK_APP_TOKEN"], web_client=client).start()
`

const sdkBot = `
import { createServer } from 'node:http'
import { Chat } from 'chat'
import { createSlackAdapter } from '@chat-adapter/slack'
import { createMemoryState } from '@chat-adapter/state-memory'
const { SLACK_API_URL, PORT } = process.env
const bot = new Chat({ userName: 'bot', adapters: { slack: createSlackAdapter({ apiUrl: SLACK_API_URL }) }, state: createMemoryState() })
bot.onNewMention(async (thread) => { await thread.post('On it') })
bot.onNewMessage(/pumps/, async (thread, message) => { await thread.post('Asked about: ' + message.text) })
createServer(async (asked, reply) => {
  const parts = []
  for await (const part of asked) parts.push(part)
  const given = new Request('http://localhost' + asked.url, { method: asked.method, headers: asked.headers, body: Buffer.concat(parts) })
  const answer = await bot.webhooks.slack(given, { waitUntil: (work) => work.catch(console.error) })
  reply.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
}).listen(PORT, '127.0.0.1')
`

const packages = ['chat@4.41.1', '@chat-adapter/slack@4.41.1', '@chat-adapter/state-memory@4.41.0']

/** Whether a package manager could install what a bot needs. */
const installs = (command: string, args: readonly string[]): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  )

describe('an unmodified bot outside trials', () => {
  let service: TestService
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diorama-bots-'))
    service = await testService({ deliveryAllow: ['127.0.0.0/8'] })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Runs a bot until it has answered a mention in its thread and a message in its channel. */
  const converse = async (chat: TestChat, command: readonly [string, ...string[]], port?: number) => {
    const { credentials, bot_user_id } = chat.settings
    const [program, ...args] = command
    const errors: string[] = []
    const bot = spawn(program, args, {
      cwd: folder,
      env: {
        ...process.env,
        PYTHONPATH: join(folder, 'lib'),
        SLACK_API_URL: chat.apiUrl,
        SLACK_BOT_TOKEN: chat.token,
        SLACK_SIGNING_SECRET: credentials.signing_secret,
        SLACK_APP_TOKEN: credentials.app_token,
        PORT: String(port ?? ''),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    bot.stderr.on('data', (piece) => errors.push(String(piece)))
    const ended = once(bot, 'exit')
    try {
      if (port === undefined) await eventually(async () => (await openSockets()) > 0)
      else await subscribe(chat, port)
      const { ts } = await chat.say(chat.channel, `<@${bot_user_id}> are you there?`)
      const replies = async () =>
        (await chat.as('integration', 'conversations.replies', { channel: chat.channel, ts })).messages
      await eventually(async () => (await replies()).some(({ text }: { text: string }) => text === 'On it'))
      await chat.say(chat.channel, 'Where are the pumps?')
      await eventually(async () => {
        const { messages } = await chat.as(chat.person, 'search.messages', { query: '"Asked about"' })
        return messages.matches.some(({ text }: { text: string }) => text.includes('Where are the pumps?'))
      })
      const failed = await chat.deliveries('&status=failed')
      assert.deepEqual(failed, [], errors.join(''))
    } finally {
      bot.kill('SIGKILL')
      await ended
    }
  }

  const openSockets = async (): Promise<number> => {
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
    return Number(/^\w*twin_sockets (\d+)/m.exec(metrics)?.[1] ?? 0)
  }

  const subscribe = async (chat: TestChat, port: number): Promise<void> => {
    const request_url = `http://127.0.0.1:${port}/slack/events`
    const settings = { event_subscriptions: { request_url, bot_events: ['app_mention', 'message.channels'] } }
    await eventually(() =>
      fetch(request_url, { method: 'POST' }).then(
        () => true,
        () => false,
      ),
    )
    await chat.configure({ settings })
    await eventually(
      async () => (await service.call('GET', `${chat.base}/settings`)).body.request_url_status === 'verified',
    )
  }

  const installedPython = (): Promise<boolean> =>
    installs('python3', ['-m', 'pip', 'install', '-q', '--target', join(folder, 'lib'), 'slack-bolt'])

  const python = async (context: TestContext, source: string, port?: number): Promise<void> => {
    if (!(await installedPython())) return context.skip('PyPI cannot be reached')
    await writeFile(join(folder, 'bot.py'), source)
    await converse(await openChat(service), ['python3', 'bot.py'], port)
  }

  it('holds a conversation over HTTP, in Python', async (context) =>
    python(context, pythonHttp, await freePort()))

  it('holds a conversation in Socket Mode, in Python', (context) => python(context, pythonSocket))

  it('holds a conversation by a multi-platform SDK', async (context) => {
    if (!(await installs('npm', ['install', '--prefix', folder, '--ignore-scripts', ...packages])))
      return context.skip('the registry of npm cannot be reached')
    await writeFile(join(folder, 'bot.mjs'), sdkBot)
    await converse(await openChat(service), ['node', 'bot.mjs'], await freePort())
  })
})
