import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { testService } from '../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from './testing-runs.ts'

/** A bot that is only ever called: it answers the mention of a person in a thread, and ends when it has. */
const bot = `
import { writeFileSync } from 'node:fs'
import bolt from '@slack/bolt'
const app = new bolt.App({ token: process.env.SLACK_BOT_TOKEN, appToken: process.env.SLACK_APP_TOKEN, socketMode: true })
app.event('app_mention', async ({ event, say }) => {
  await say({ text: 'On it', thread_ts: event.ts })
  writeFileSync(process.env.WORK_DIR + '/output.txt', 'yes')
  setTimeout(() => process.exit(0), 200)
})
await app.start()
const { user_id } = await app.client.auth.test()
const { channels } = await app.client.users.conversations({ token: process.env.SLACK_USER_TOKEN, limit: 100 })
await app.client.chat.postMessage({
  token: process.env.SLACK_USER_TOKEN,
  channel: channels.find((one) => !one.is_archived).id,
  text: '<@' + user_id + '> can you look at the pumps?',
})
const hook = await fetch(process.env.SLACK_WEBHOOK_URL, { method: 'POST', body: JSON.stringify({ text: 'By webhook' }) })
if (await hook.text() !== 'ok') throw new Error('the webhook refused')
`

/** Files of an agent are small, and the bundled bot is not. */
const unpack = `
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
writeFileSync('bot.mjs', gunzipSync(Buffer.from(readFileSync('bot.gz.txt', 'utf8'), 'base64')))
await import(process.cwd() + '/bot.mjs')
`

/** One file, as a developer would ship it: the trial has no registry. */
const bundled = async (): Promise<string> => {
  // Beside the dependencies, so that they are found.
  const folder = await mkdtemp(join(import.meta.dirname, '../../../node_modules/.bot-'))
  try {
    await writeFile(join(folder, 'bot.mjs'), bot)
    const build = await rolldown({ input: join(folder, 'bot.mjs'), platform: 'node', logLevel: 'silent' })
    await build.write({ file: join(folder, 'agent.mjs'), format: 'esm', codeSplitting: false, minify: true })
    return gzipSync(await readFile(join(folder, 'agent.mjs'))).toString('base64')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

it('an unmodified Bolt app in Socket Mode is the agent of a trial', async () => {
  await using service = await testService()
  const { world } = await launchSample(service)
  const agent = await registerCommand(
    service,
    'bot',
    { command: ['node', 'agent.mjs'], network: 'world' },
    { 'agent.mjs': unpack, 'bot.gz.txt': await bundled() },
  )
  const suiteId = await createSuite(service, {
    scorers: [pythonScorer('Says yes', "return {'score': 1 if output == 'yes' else 0}")],
    environmentVersionId: world.evaluation.environmentVersionId,
  })
  const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents: [agent] })
  const [trial] = trials
  assert.equal(trial?.passed, true, JSON.stringify(trial).slice(0, 3_000))
})
