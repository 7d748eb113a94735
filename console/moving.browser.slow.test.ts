import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createSuite,
  launchSample,
  pythonScorer,
  registerCommand,
  runToEnd,
} from '../server/src/evaluations/testing-runs.ts'
import { inBothThemes } from './journeys/both-themes.ts'
import { barriers, cannotRun, keepPicture, visit } from './testing.ts'

const skip = cannotRun()

const hour = 3_600_000

const post = (text: string) => ({
  as: 'bram',
  do: [{ service: 'chat', operation: 'chat.postMessage', input: { channel: '#general', text } }],
})

const secret = {
  fact: 'The gate code is 4711.',
  about: ['gate', 'code'],
  tell: 'only_to',
  to: ['imogen.hale'],
}

const command = `curl -sS "$SVC_CHAT_BASE_URL/api/chat.postMessage" -H "authorization: Bearer $SVC_CHAT_TOKEN" \
  -H 'content-type: application/json' -d '{"channel": "#general", "text": "From the agent"}' && sleep 3600`

describe('a world that moves, in the console', { skip }, () => {
  it('has a clock that can be advanced and set, with its events and what coworkers know beside it', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await inBothThemes(page, async (theme) => {
      const { world } = await launchSample(service, (blueprint) => {
        Object.assign(blueprint.scenario, {
          time: { mode: 'story' },
          events: [
            { key: 'soon', at: '30m', ...post('From an event') },
            { key: 'later', at: '20h', ...post('Much later') },
          ],
          coworkers: [{ person: 'bram', knows: [secret] }],
        })
      })
      const clock = async () => (await service.call('GET', `/v1/builder/worlds/${world.world.id}/clock`)).body
      const start = Date.parse(world.world.blueprint.clock)
      await page.goto(`${service.baseUrl}/worlds/${world.world.id}/story`)
      const events = page.getByRole('region', { name: 'Events' })
      await events.getByRole('listitem').filter({ hasText: 'later' }).waitFor()
      const known = page.getByRole('region', { name: 'What coworkers know' })
      await known.getByText(/The gate code is 4711\..*tells only Imogen Hale/).waitFor()
      assert.deepEqual(await barriers(page), [], theme)
      await page.getByRole('button', { name: /^World time/ }).click()
      const dialog = page.getByRole('dialog', { name: 'World clock' })
      await dialog.getByLabel('Advance by').fill('1h')
      await dialog.getByRole('button', { name: 'Advance', exact: true }).click()
      await dialog.getByText('1, 1 to come').waitFor()
      assert.equal(Date.parse((await clock()).now), start + hour)
      await dialog.getByRole('button', { name: 'Go to what is next' }).click()
      await dialog.getByText('2, 0 to come').waitFor()
      await dialog.getByText('nothing is due').waitFor()
      const day = new Date(start + 30 * hour).toISOString().slice(0, 19)
      await dialog.getByLabel('Set to (UTC)').fill(day)
      await dialog.getByRole('button', { name: 'Set the clock' }).click()
      await page.waitForFunction(() => !document.querySelector('[role=dialog] button[disabled][type=submit]'))
      assert.equal((await clock()).now, `${day}.000Z`)
      await dialog.getByLabel('Set to (UTC)').fill(new Date(start).toISOString().slice(0, 19))
      await dialog.getByRole('button', { name: 'Set the clock' }).click()
      await dialog
        .getByText(/lies before the world's time/)
        .first()
        .waitFor()
      await keepPicture(page, `world-clock-${theme}`)
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('is shown by a trial beside the agent, and branched from one of its requests', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { world } = await launchSample(service, (blueprint) => {
      Object.assign(blueprint.scenario, {
        time: { mode: 'story' },
        events: [{ key: 'soon', at: '30m', ...post('From an event') }],
      })
    })
    const suiteId = await createSuite(service, {
      scorers: [pythonScorer('any', 'return 1')],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    const agent = await registerCommand(service, 'waits', { command, network: 'world' })
    const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents: [agent] })
    const [trial] = trials
    const address = `${service.baseUrl}/evaluations/${trial.job_id}/trials/${trial.id}`
    const sent = await service.call('GET', `/v1/backtests/jobs/${trial.job_id}/trials/${trial.id}`)
    const posted = sent.body.steps.findIndex(({ name }: { name: string }) => name === 'chat.postMessage')
    await inBothThemes(page, async (theme) => {
      await page.goto(address)
      await page.getByRole('region', { name: 'World time axis' }).waitFor()
      await page.getByText("Everything in the world's order").click()
      await page.getByText('(event soon)').waitFor()
      await keepPicture(page, `trial-and-world-${theme}`)
    })
    await inBothThemes(page, async () => {
      await page.goto(address)
      await page.getByRole('tab', { name: 'World diff' }).click()
      const mine = page.getByRole('region', { name: 'Changed by the agent' })
      const theirs = page.getByRole('region', { name: 'Changed by the world' })
      await mine.getByText('From the agent').first().waitFor()
      await theirs.getByText('From an event').first().waitFor()
      assert.equal(await mine.getByText('From an event').count(), 0)
      assert.equal(await theirs.getByText('From the agent').count(), 0)
    })
    await inBothThemes(page, async () => {
      await page.goto(`${address}?open=${posted}`)
      await page.getByRole('button', { name: 'Branch from here' }).click()
      await page.waitForURL(/\/worlds\/wld_\w+\/story/)
      const branchId = /wld_\w+/.exec(page.url())?.[0]
      const { body: branch } = await service.call('GET', `/v1/builder/worlds/${branchId}`)
      assert.match(branch.world.name, / at 20/)
      const chat = branch.twins.find(({ service: kind }: { service: string }) => kind === 'chat')
      const asBot = { headers: { authorization: `Bearer ${chat.token}` } }
      const read = (call: string) => service.call('GET', `/t/${chat.id}/api/${call}`, undefined, asBot)
      const { channels } = (await read('conversations.list')).body
      const { id } = channels.find(({ name }: { name: string }) => name === 'general')
      assert.match((await read(`conversations.history?channel=${id}`)).text, /From the agent/)
      await page.getByRole('heading', { level: 1 }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })
})
