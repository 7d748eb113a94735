import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerCommand, runToEnd } from '../../server/src/evaluations/testing-runs.ts'
import type { TestService } from '../../server/src/testing.ts'
import { cannotRun, furnish, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

const slow = 120_000
const crash = "echo starting >&2; echo 'TypeError: the order is undefined' >&2; exit 1"

/** An evaluation of these agents that has ended, and the trial of each that was asked to escalate a case. */
const evaluated = async (
  service: TestService,
  wanted: { readonly suiteId: string; readonly agents: readonly string[]; readonly name: string },
) => {
  const { suiteId, agents, name } = wanted
  const { job, trials } = await runToEnd(service, { task_suite_id: suiteId, agents, name })
  const trialOf = (agent: string) => {
    const found = trials.find((one) => one.agent === agent && one.task_title.startsWith('Escalate'))
    assert.ok(found, `no trial of ${agent}`)
    return `${service.baseUrl}/evaluations/${job.id}/trials/${found.id}`
  }
  return { page: `${service.baseUrl}/evaluations/${job.id}`, trialOf }
}

describe('results in the console, as a person reads them', { skip: cannotRun() }, () => {
  it('are listed by verdict and pass rate, filtered, and compared run with run', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    await evaluated(service, { suiteId, agents: ['careless@1.0.0'], name: 'The careless run' })
    await evaluated(service, { suiteId, agents: ['careful@1.0.0'], name: 'The careful run' })
    const list = `${service.baseUrl}/evaluations`
    const careless = page.getByRole('button', { name: /Failed The careless run/ })
    const careful = page.getByRole('button', { name: /Passed The careful run/ })
    await inBothThemes(page, async () => {
      await page.goto(list)
      await careless.waitFor({ timeout: slow })
      await careful.getByRole('img', { name: /^100%, between \d+% and 100%$/ }).waitFor()
      await careful.getByRole('img', { name: /^Pass rates of the suite, oldest first: 25%, 100%$/ }).waitFor()
      await page.getByLabel('Agent', { exact: true }).selectOption('careful')
      await careless.waitFor({ state: 'detached' })
      await page.getByLabel('Agent', { exact: true }).selectOption('All agents')
      await careless.waitFor()
      await page.getByRole('button', { name: 'Passed', exact: true }).click()
      await careless.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Inconclusive', exact: true }).click()
      await careful.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Inconclusive', exact: true }).click()
      await page.getByLabel('Suite', { exact: true }).selectOption('Fernwright Instruments')
      await page.getByLabel('Started', { exact: true }).selectOption('Last 24 hours')
      await page.waitForURL(/since=last_24h/)
      await page.getByLabel('Select The careless run').check()
      await page.getByLabel('Select The careful run').check()
      await page.getByRole('link', { name: 'Compare the two' }).click()
      await page.getByRole('heading', { name: '3 tasks changed' }).waitFor({ timeout: slow })
      await page.getByRole('row', { name: /Pass rate 25% 100% \+75 points/ }).waitFor()
      await page.getByRole('link', { name: /Compare trials of Escalate/ }).click()
      await page.getByRole('region', { name: 'Verdicts' }).waitFor({ timeout: slow })
      await page.getByRole('heading', { name: 'World diff' }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('are read on the page of an agent: how much it passed, by suite and version', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    await evaluated(service, { suiteId, agents: ['careful@1.0.0', 'careless@1.0.0'], name: 'Both' })
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/agents`)
      const row = page.getByRole('row', { name: /careful/ })
      await row.getByRole('img', { name: /^100%, between/ }).waitFor({ timeout: slow })
      await row.getByRole('cell').first().click()
      await page.waitForURL(/\/agents\/careful/)
      await page
        .getByRole('row', { name: /Fernwright Instruments.*1\.0\.0.*4 of 4/ })
        .waitFor({ timeout: slow })
      const [first] = await page.locator('.page-body h2').allInnerTexts()
      assert.equal(first, 'Pass rate by suite and version')
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('are read in the matrix: by pointer, by keyboard, and a crash apart from a scored failure', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    const broken = await registerCommand(service, 'broken', { command: crash })
    const run = await evaluated(service, { suiteId, agents: ['careless@1.0.0', broken], name: 'Two' })
    await inBothThemes(page, async () => {
      await page.goto(run.page)
      const mark = page.getByRole('button', { name: /careless@1.0.0, Escalate .*: failed/ })
      await mark.waitFor({ timeout: slow })
      await mark.hover()
      const tip = page.getByRole('tooltip')
      await tip.getByText('nobody posted the case number').waitFor()
      await tip.getByText('Case escalated and announced').waitFor()
      await page.getByRole('button', { name: /broken@1, Escalate .*: crashed/ }).waitFor()
      await mark.focus()
      await page.keyboard.press('ArrowRight')
      assert.match(
        await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''),
        /^broken@1, Escalate .*: crashed/,
      )
      await tip.getByText(/TypeError: the order is undefined|ended with/).waitFor()
      await page.keyboard.press('Enter')
      const inspector = page.getByRole('complementary', { name: 'Inspector' })
      await inspector.getByText('broken@1').waitFor()
      await inspector.getByRole('button', { name: 'Compare with another trial' }).click()
      await mark.click()
      await inspector.getByRole('link', { name: 'Compare the two' }).click()
      await page.getByRole('region', { name: 'Verdicts' }).waitFor({ timeout: slow })
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('are explained by a trial: its task, its scores, its time axis, and the error of a crash', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    const broken = await registerCommand(service, 'broken', { command: crash })
    const run = await evaluated(service, { suiteId, agents: ['careless@1.0.0', broken], name: 'Two' })
    await inBothThemes(page, async () => {
      await page.goto(run.trialOf('careless@1.0.0'))
      const task = page.getByRole('region', { name: 'Task' })
      await task.getByRole('heading', { name: 'Instruction' }).waitFor({ timeout: slow })
      await task.getByRole('heading', { name: 'Expected outcome' }).waitFor()
      await page.getByText('1 unexpected change: updated CRM case 00001002 (status)').waitFor()
      await page.getByRole('row', { name: /Nothing else changed .*scoring .*failed/ }).waitFor()
      await page.getByRole('row', { name: /PATCH Case .*updated Case 00001001/ }).waitFor()
      assert.match(await page.locator('.lanes-legend').innerText(), /agent process.*model call.*CRM/s)
      const ticks = await page.locator('.lanes-axis span').allInnerTexts()
      assert.ok(ticks.length > 2 && ticks.every((tick) => /^[\d.]+ (ms|s|m)/.test(tick)), ticks.join())
      await page.goto(run.trialOf(broken))
      const banner = page.locator('.crash')
      await banner.waitFor({ timeout: slow })
      assert.equal(await banner.locator('code').innerText(), 'TypeError: the order is undefined')
      assert.match(await banner.locator('pre').innerText(), /^starting\nTypeError/)
    })
    assert.deepEqual(seen.complaints, [])
  })
})
