import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { eventually } from '../test/eventually.ts'
import { type Theme, themes } from './journeys/both-themes.ts'
import { barriers, cannotRun, furnish, visit } from './testing.ts'
import { endTransitions } from './testing-pages.ts'

const skip = cannotRun()
const slow = 120_000
const careless = fileURLToPath(new URL('../examples/agents/careless/agent.mjs', import.meta.url))

describe('the first minutes with the console', { skip }, () => {
  const lead = async (theme: Theme): Promise<void> => {
    await using seen = await visit()
    const { page } = seen
    await page.emulateMedia({ colorScheme: theme })
    // Signing in was the first.
    let clicks = 1
    const click = async (target: Locator) => {
      clicks++
      await target.click({ timeout: slow })
    }
    await click(page.getByRole('button', { name: 'Launch Fernwright Instruments' }))
    await page.getByRole('heading', { name: 'Fernwright Instruments', level: 1 }).waitFor({ timeout: slow })
    await click(page.getByRole('link', { name: 'Agents', exact: true }))
    await click(page.getByRole('link', { name: 'Register an agent' }).first())
    await page.getByLabel('Name').fill('mine')
    clicks++
    await page.getByLabel('Zip file, or single files').setInputFiles(careless)
    await page.getByText('1 file: agent.mjs').waitFor()
    assert.equal(await page.getByLabel('Command').inputValue(), 'node agent.mjs')
    assert.deepEqual(await barriers(page), [])
    await click(page.getByRole('button', { name: 'Register', exact: true }))
    await click(page.getByRole('link', { name: 'Evaluate', exact: true }))
    await click(page.getByRole('button', { name: 'Start' }))
    await page.getByText('4 of 4 trials').waitFor({ timeout: slow })
    await click(
      page.getByRole('button', { name: /mine@1.0.0, Escalate the Calder Valley case, repeat 1: failed/ }),
    )
    await click(page.getByRole('link', { name: 'Open the trial' }))
    await page.getByRole('region', { name: 'Scores' }).getByText('nobody posted the case number').waitFor()
    await page.evaluate(endTransitions)
    assert.deepEqual(await barriers(page), [])
    assert.ok(clicks <= 12, `${clicks} clicks`)
    assert.deepEqual(seen.complaints, [])
  }

  for (const theme of themes)
    it(`lead from nothing to why an agent failed in at most 12 clicks, without a terminal, ${theme}`, () =>
      lead(theme))
})

describe('results in the console', { skip }, () => {
  it('are listed by verdict, compared side by side, and opened from the matrix by keyboard', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    for (const agent of ['careless@1.0.0', 'careful@1.0.0']) {
      const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
        task_suite_id: suiteId,
        agents: [agent],
        name: `Run of ${agent}`,
      })
      await eventually(
        async () => (await service.call('GET', `/v1/backtests/jobs/${job.id}`)).body.finished_at !== null,
        'the evaluation did not finish',
      )
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${service.baseUrl}/evaluations`)
      await page.getByRole('button', { name: /Failed Run of careless@1.0.0/ }).waitFor()
      assert.deepEqual(await barriers(page), [])
    }
    await page.getByRole('button', { name: 'Passed', exact: true }).click()
    await page.getByRole('button', { name: /Run of careless/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Passed', exact: true }).click()
    await page.getByLabel('Select Run of careless@1.0.0').check()
    await page.getByLabel('Select Run of careful@1.0.0').check()
    await page.getByRole('link', { name: 'Compare the two' }).click()
    await page.getByRole('heading', { name: '3 tasks changed' }).waitFor()
    await page.getByRole('link', { name: /Compare trials of Escalate/ }).click()
    await page.getByRole('heading', { name: 'World diff' }).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.goto(`${service.baseUrl}/agents/careful`)
    await page.getByRole('heading', { name: 'Pass rate by suite and version' }).waitFor()
    await page.getByRole('img', { name: /100%, between/ }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })
})

describe('the first load of the console', { skip }, () => {
  it('is less than 200 kB, compressed', async () => {
    await using seen = await visit()
    const page = await (await seen.browser.newContext()).newPage()
    const sizes: Promise<number>[] = []
    page.on('response', (response) => {
      if (/\.(js|css)$|\/$/.test(new URL(response.url()).pathname))
        sizes.push(response.body().then((body) => gzipSync(body).length))
    })
    await page.goto(seen.service.baseUrl, { waitUntil: 'networkidle' })
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    assert.ok(bytes > 20_000 && bytes < 200_000, `${bytes} bytes`)
  })
})
