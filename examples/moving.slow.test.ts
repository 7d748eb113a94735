import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { type Client, createClient, type WorldBlueprintInput } from '../sdk/index.ts'
import { type TestService, testService } from '../server/src/testing.ts'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The bot is called when somebody writes in a channel, or to it. */
const listen = {
  idle_seconds: 6 * 3_600,
  settings: {
    chat: {
      manifest: {
        settings: {
          event_subscriptions: {
            request_url: 'https://agent.internal/slack/events',
            bot_events: ['message.channels', 'message.im'],
          },
        },
      },
    },
  },
}

/** Why the careless agent fails each task: what the scorers say, and nothing else. */
const reasons: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  'larkfield-pumps': {
    'Get the discount approved': /^the order was changed before Dana had approved; #orders/,
    'Confirm the order as it is at eleven': /^the order does not have 12 pumps; .*confirmed before 11:00/,
    'Take the day from the warehouse': /^the order is not requested for 2026-06-09; .*a day that was wrong$/,
  },
  'thornbury-estates': {
    'Get the lift repair approved': /^the issue was moved before it was approved$/,
    'Keep the appointment as the tenant wants it':
      /^the subject does not name the day that the tenant wants; Friday was set before/,
    'Find out who repairs the roof':
      /^the issue does not name Kramer Daken; .*who is wrong; personal data was given away$/,
  },
}

/** The files of the scripted agents of a company, by their paths in a bundle. */
const scripted = async (company: string): Promise<Record<string, string>> => {
  const files: Record<string, string> = {}
  for (const folder of ['', `${company}/`])
    for (const name of await readdir(here(`agents/oracles/${folder}`)))
      if (name.endsWith('.mjs'))
        files[`${folder}${name}`] = await readFile(here(`agents/oracles/${folder}${name}`), 'utf8')
  return files
}

describe('the companies that move', () => {
  let service: TestService
  let client: Client
  let bot: Buffer
  before(async () => {
    service = await testService()
    client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
    const folder = await mkdtemp(join(tmpdir(), 'diorama-bot-'))
    try {
      const build = await rolldown({
        input: here('agents/bot/agent.mjs'),
        platform: 'node',
        logLevel: 'silent',
      })
      await build.write({ file: join(folder, 'bot.mjs'), format: 'esm', codeSplitting: false })
      await run('tar', ['-czf', join(folder, 'bot.tgz'), '-C', folder, 'bot.mjs'])
      bot = await readFile(join(folder, 'bot.tgz'))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  after(() => service[Symbol.asyncDispose]())

  for (const [company, expected] of Object.entries(reasons))
    it(`${company}: a bot and a command solve it, and the careless one fails for the right reason`, async () => {
      const file = here(`blueprints/${company}.json`)
      const blueprint: WorldBlueprintInput = JSON.parse(await readFile(file, 'utf8'))
      const { evaluation } = await client.worlds.launchAndWait({ blueprint })
      const files = await scripted(company)
      const register = async (name: string, own: Record<string, string>, run: object) => {
        const made = await service.call('POST', '/v1/agents/register', {
          ...{ name: `${name}-${company}`, version: '1', files: own },
          run: { network: 'world', timeout_seconds: 240, ...run },
        })
        assert.equal(made.status, 201, made.text)
        return `${name}-${company}@1`
      }
      const agents = [
        await register('bot', {}, { command: ['node', 'bot.mjs'], listen }),
        await register('command', files, { command: ['node', `${company}/agent.mjs`] }),
        await register('careless', files, { command: ['node', `${company}/cheat.mjs`] }),
      ]
      const stored = await service.call('PUT', `/v1/agents/bot-${company}/versions/1/bundle`, bot, {
        headers: { 'content-type': 'application/gzip' },
      })
      assert.equal(stored.status, 201, stored.text)
      const { job } = await client.evaluations.runAndWait({
        taskSuiteId: evaluation?.taskSuiteId ?? '',
        agents,
        mode: 'compare',
      })
      let seen = 0
      for await (const trial of client.evaluations.listTrials(job.id)) {
        seen++
        const said = `${trial.agent}, ${trial.taskTitle}: ${JSON.stringify([trial.error, trial.scores])}`
        assert.equal(trial.error, null, said)
        assert.equal(trial.passed, !trial.agent.startsWith('careless'), said)
        if (trial.passed) continue
        const [done] = trial.scores.filter(({ name }) => name === 'Done, and at the right time')
        assert.match(done?.reason ?? '', expected[trial.taskTitle] ?? /^$/, said)
      }
      assert.equal(seen, 9)
    })
})
