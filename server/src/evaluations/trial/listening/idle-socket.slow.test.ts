import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { testService } from '../../../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'

/** Answers who writes of pumps, and notes how often its own timer has run by then. */
const bot = `
import { writeFileSync } from 'node:fs'
import bolt from '@slack/bolt'
const app = new bolt.App({ token: process.env.SLACK_BOT_TOKEN, appToken: process.env.SLACK_APP_TOKEN, socketMode: true })
let ticks = 0
const began = Date.now()
app.message(/pumps/, async ({ message, say }) => {
  await say({ text: 'On it', thread_ts: message.ts })
  const minutes = Math.round((Date.now() - began) / 60_000)
  writeFileSync(process.env.WORK_DIR + '/output.txt', JSON.stringify({ ticks, minutes }))
})
await app.start()
setInterval(() => ticks++, 1_000)
`

const unpack = `
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
writeFileSync('bot.mjs', gunzipSync(Buffer.from(readFileSync('bot.gz.txt', 'utf8'), 'base64')))
await import(process.cwd() + '/bot.mjs')
`

const bundled = async (): Promise<string> => {
  // Beside the dependencies, so that they are found.
  const folder = await mkdtemp(join(import.meta.dirname, '../../../../../node_modules/.bot-'))
  try {
    await writeFile(join(folder, 'bot.mjs'), bot)
    const build = await rolldown({ input: join(folder, 'bot.mjs'), platform: 'node', logLevel: 'silent' })
    await build.write({ file: join(folder, 'agent.mjs'), format: 'esm', codeSplitting: false, minify: true })
    return gzipSync(await readFile(join(folder, 'agent.mjs'))).toString('base64')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

it('a bot in Socket Mode waits for hours of the story in a few steps, on the same socket', async () => {
  await using service = await testService()
  const post = { channel: '#general', text: 'The pumps are late' }
  const { world } = await launchSample(service, (blueprint) => {
    const as = blueprint.identities[0].handle
    Object.assign(blueprint.scenario, {
      events: [
        { key: 'late', at: '2h', as, do: [{ service: 'chat', operation: 'chat.postMessage', input: post }] },
      ],
    })
  })
  const agent = await registerCommand(
    service,
    'idle-bot',
    { command: ['node', 'agent.mjs'], network: 'world', listen: { by: 'socket' } },
    { 'agent.mjs': unpack, 'bot.gz.txt': await bundled() },
  )
  const suiteId = await createSuite(service, {
    scorers: [pythonScorer('Answered', "return {'score': 1 if 'minutes' in output else 0}")],
    environmentVersionId: world.evaluation.environmentVersionId,
  })
  const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents: [agent] })
  const path = `/v1/backtests/jobs/${trials[0].job_id}/trials/${trials[0].id}`
  const { body: trial } = await service.call('GET', path)
  assert.deepEqual([trial.error, trial.passed], [null, true], JSON.stringify(trial).slice(0, 3_000))
  const { ticks, minutes } = JSON.parse(trial.output)
  assert.ok(minutes >= 118 && minutes <= 121, trial.output)
  // Two hours have 7,200 seconds; the timers of an idle bot are late, and its socket stays open all the same.
  assert.ok(ticks < 1_000, trial.output)
  const opened = trial.steps.filter(({ name }: { name: string }) => name === 'apps.connections.open')
  assert.equal(opened.length, 1, JSON.stringify(trial.steps.map(({ name }: { name: string }) => name)))
})
