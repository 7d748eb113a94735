import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { type TestService, testService } from '../../../testing.ts'
import { sampleCompany } from '../../../worlds/sample.ts'
import { createSuite, pythonScorer, runToEnd } from '../../testing-runs.ts'

const run = promisify(execFile)

const http = `
import bolt from '@slack/bolt'
const app = new bolt.App({ token: process.env.SLACK_BOT_TOKEN, signingSecret: process.env.SLACK_SIGNING_SECRET })
app.message(/pumps/, async ({ message, say }) => { await say({ text: 'On it', thread_ts: message.ts }) })
await app.start(process.env.PORT)
`

const socket = `
import bolt from '@slack/bolt'
const app = new bolt.App({ token: process.env.SLACK_BOT_TOKEN, appToken: process.env.SLACK_APP_TOKEN, socketMode: true })
app.message(/pumps/, async ({ message, say }) => { await say({ text: 'On it', thread_ts: message.ts }) })
await app.start()
`

/** The client of sockets alone, without a framework around it. */
const socketClient = `
import { SocketModeClient } from '@slack/socket-mode'
import { WebClient } from '@slack/web-api'
const web = new WebClient(process.env.SLACK_BOT_TOKEN)
const client = new SocketModeClient({ appToken: process.env.SLACK_APP_TOKEN })
client.on('message', async ({ ack, event }) => {
  await ack()
  if (/pumps/.test(event.text ?? '')) await web.chat.postMessage({ channel: event.channel, text: 'On it', thread_ts: event.ts })
})
await client.start()
`

const python = `
import os, sys
sys.path.insert(0, os.path.join(os.getcwd(), "lib"))
from slack_bolt import App

app = App(token=os.environ["SLACK_BOT_TOKEN"], signing_secret=os.environ["SLACK_SIGNING_SECRET"])

@app.message("pumps")
def answer(message, say):
    say(text="On it", thread_ts=message["ts"])

app.start(port=int(os.environ["PORT"]), path="/events")
`

const pythonSocket = `
import os, sys
sys.path.insert(0, os.path.join(os.getcwd(), "lib"))
from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

app = App(token=os.environ["SLACK_BOT_TOKEN"])

@app.message("pumps")
def answer(message, say):
    say(text="On it", thread_ts=message["ts"])

SocketModeHandler(app, os.environ["SLACK_APP_TOKEN"]).start()
`

/** The bot, and the few lines that a web framework would be: its handler takes and returns what fetch knows. */
const chatSdk = `
import { createServer } from 'node:http'
import { Chat } from 'chat'
import { createSlackAdapter } from '@chat-adapter/slack'
import { createMemoryState } from '@chat-adapter/state-memory'
const bot = new Chat({ userName: 'bot', adapters: { slack: createSlackAdapter() }, state: createMemoryState() })
bot.onNewMessage(/pumps/, async (thread) => { await thread.post('On it') })
createServer(async (asked, reply) => {
  const parts = []
  for await (const part of asked) parts.push(part)
  const given = new Request('https://agent.internal' + asked.url, { method: asked.method, headers: asked.headers, body: Buffer.concat(parts) })
  const answer = await bot.webhooks.slack(given, { waitUntil: (work) => work.catch(console.error) })
  reply.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
}).listen(process.env.PORT)
`
const chatSdkPackages = ['chat@4.41.1', '@chat-adapter/slack@4.41.1', '@chat-adapter/state-memory@4.41.0']

const manifest = (path: string) => ({
  settings: {
    event_subscriptions: { request_url: `https://agent.internal${path}`, bot_events: ['message.channels'] },
  },
})

describe('an unmodified bot that is only ever called', () => {
  let service: TestService
  let suite: string
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diorama-bots-'))
    service = await testService()
    const blueprint = structuredClone(sampleCompany) as { scenario: object; identities: { handle: string }[] }
    const say = (text: string) => ({
      as: blueprint.identities[0]?.handle,
      do: [{ service: 'chat', operation: 'chat.postMessage', input: { channel: '#general', text } }],
    })
    Object.assign(blueprint.scenario, {
      events: [
        { key: 'soon', at: '10m', ...say('The pumps are late') },
        { key: 'later', at: '40m', ...say('Any news about the pumps?') },
      ],
    })
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    suite = await createSuite(service, {
      scorers: [
        pythonScorer(
          'answered',
          `from world_state import world
said = [change["after"]["text"] for change in world.diff() if change["collection"] == "message"]
return {'score': 1 if said == ["On it", "On it"] else 0, 'reason': str(said)}`,
        ),
      ],
      environmentVersionId: body.evaluation.environmentVersionId,
    })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const score = async (name: string, command: string[], listen: object) => {
    const where = join(folder, name)
    const registered = await service.call('POST', '/v1/agents/register', {
      ...{ name, version: '1' },
      run: { command, network: 'world', timeout_seconds: 600, listen: { ready_seconds: 240, ...listen } },
    })
    assert.equal(registered.status, 201, registered.text)
    await run('tar', ['-czf', `${where}.tgz`, '-C', where, '.'])
    const stored = await service.call(
      'PUT',
      `/v1/agents/${name}/versions/1/bundle`,
      await readFile(`${where}.tgz`),
      { headers: { 'content-type': 'application/gzip' } },
    )
    assert.equal(stored.status, 201, stored.text)
    const order = { task_suite_id: suite, agents: [`${name}@1`] }
    // A wait of hours is some hundred steps, each of which can take seconds on a busy machine.
    const { job, trials } = await runToEnd(service, order, { looks: 12_000 })
    const trial = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
    assert.deepEqual([trial.error, trial.scores[0]?.score], [null, 1], JSON.stringify(trial).slice(0, 4_000))
    return trial
  }

  /** The bot solves its task, and hours of the story never make it believe that its socket is dead. */
  const scoreOnOneSocket = async (name: string, command: string[]) => {
    const { steps } = await score(name, command, { by: 'socket' })
    const opened = steps.filter((step: { name: string }) => step.name === 'apps.connections.open')
    assert.equal(opened.length, 1, JSON.stringify(steps.map((step: { name: string }) => step.name)))
  }

  const bundled = async (name: string, source: string) => {
    await mkdir(join(folder, name))
    // Beside the dependencies, so that they are found.
    const near = await mkdtemp(join(import.meta.dirname, '../../../../../node_modules/.bot-'))
    try {
      await writeFile(join(near, 'bot.mjs'), source)
      const build = await rolldown({ input: join(near, 'bot.mjs'), platform: 'node', logLevel: 'silent' })
      await build.write({ file: join(folder, name, 'bot.mjs'), format: 'esm', codeSplitting: false })
    } finally {
      await rm(near, { recursive: true, force: true })
    }
  }

  it('solves its task over HTTP, in TypeScript', async () => {
    await bundled('http-bot', http)
    await score('http-bot', ['node', 'bot.mjs'], {
      settings: { chat: { manifest: manifest('/slack/events') } },
    })
  })

  it('solves its task in Socket Mode', async () => {
    await bundled('socket-bot', socket)
    await scoreOnOneSocket('socket-bot', ['node', 'bot.mjs'])
  })

  it('solves its task by the client of sockets alone', async () => {
    await bundled('client-bot', socketClient)
    await scoreOnOneSocket('client-bot', ['node', 'bot.mjs'])
  })

  /** Writes a bot in Python with its packages beside it; false where they cannot be installed. */
  const installed = async (name: string, source: string): Promise<boolean> => {
    const lib = join(folder, name, 'lib')
    await mkdir(lib, { recursive: true })
    await writeFile(join(folder, name, 'bot.py'), source)
    const pip = ['-m', 'pip', 'install', '-q', '--target', lib, 'slack-bolt']
    return run('python3', pip).then(
      () => true,
      () => false,
    )
  }

  it('solves its task over HTTP, in Python', async (context) => {
    if (!(await installed('python-bot', python))) return context.skip('PyPI cannot be reached')
    await score('python-bot', ['python3', 'bot.py'], {
      settings: { chat: { manifest: manifest('/events') } },
    })
  })

  it('solves its task in Socket Mode, in Python', async (context) => {
    if (!(await installed('python-socket-bot', pythonSocket))) return context.skip('PyPI cannot be reached')
    await scoreOnOneSocket('python-socket-bot', ['python3', 'bot.py'])
  })

  it('solves its task with a multi-platform SDK, its packages in the bundle', async (context) => {
    const where = join(folder, 'sdk-bot')
    await mkdir(where, { recursive: true })
    await writeFile(join(where, 'bot.mjs'), chatSdk)
    const installed = await run('npm', [
      'install',
      '--prefix',
      where,
      '--ignore-scripts',
      ...chatSdkPackages,
    ]).then(
      () => true,
      () => false,
    )
    if (!installed) return context.skip('the packages cannot be installed from npm here')
    await score('sdk-bot', ['node', 'bot.mjs'], {
      settings: { chat: { manifest: manifest('/slack/events') } },
    })
  })
})
