import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { barriers, cannotRun, furnish, visit } from '../testing.ts'

const slow = 300_000
const company = {
  organization: { name: 'Ember Works', slug: 'ember-works', emailDomain: 'ember.example' },
  clock: '2026-03-02T09:00:00Z',
}
const account = (n: number, name: unknown) => ({
  service: 'crm',
  collection: 'Account',
  row: { Id: `001BN00000${String(n).padStart(5, '0')}`, Name: name },
})
const file = (name: string, lines: readonly object[]) => ({
  name,
  mimeType: 'application/x-ndjson',
  buffer: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
})

describe('datasets in the console', { skip: cannotRun() }, () => {
  it('are imported with row-level errors, browsed, launched, kept as a snapshot and forked', async () => {
    await using seen = await visit()
    const { page, service } = seen
    page.setDefaultTimeout(slow)
    await page.getByRole('link', { name: 'Datasets', exact: true }).click()
    await page.getByText('No datasets yet.').waitFor()
    await page.getByRole('link', { name: 'Import a dataset' }).click()
    await page.getByLabel('Name', { exact: true }).fill('ember')
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(file('broken.ndjson', [{ company }, account(1, 7), account(2, 8)]))
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const problems = page.getByRole('alert')
    await problems.getByText('dataset.ndjson, row 2, field Name').waitFor()
    await problems.getByText('dataset.ndjson, row 3, field Name').waitFor()
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual((await service.call('GET', '/v1/datasets')).body.items, [])

    const good = [{ company }, ...Array.from({ length: 60 }, (_, n) => account(n, `Account ${n}`))]
    await page.getByLabel('File', { exact: true }).setInputFiles(file('good.ndjson', good))
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'ember', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Account 60' }).click()
    await page.getByRole('cell', { name: 'Account 3', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show more rows' }).click()
    await page.getByRole('cell', { name: 'Account 59', exact: true }).waitFor()
    assert.deepEqual(await barriers(page), [])

    await page.getByRole('button', { name: 'Launch a world' }).click()
    await page.waitForURL(/\/worlds\/wld_/)
    const launched = page.url()
    await page.getByRole('button', { name: 'Snapshots' }).click()
    await page.getByLabel('Name of the snapshot').fill('before the audit')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('button', { name: 'Fork before the audit, version 1' }).click()
    await page.waitForURL((url) => url.pathname.startsWith('/worlds/') && url.href !== launched)
    const { body: worlds } = await service.call('GET', '/v1/builder/worlds')
    assert.equal(worlds.items.length, 2)
    await page.goto(`${service.baseUrl}/datasets`)
    await page.getByRole('link', { name: 'before the audit' }).waitFor()
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(seen.complaints, [])
  })

  it('of a benchmark have a report of its own metric beside ours', async () => {
    await using seen = await visit()
    const { page, service } = seen
    page.setDefaultTimeout(slow)
    const { worldId } = await furnish(service)
    const { body: world } = await service.call('GET', `/v1/builder/worlds/${worldId}`)
    const { body: suite } = await service.call('POST', '/v1/task-suites', {
      name: 'agent-diff (train)',
      unasked_changes: 'warn',
    })
    const { body: scorer } = await service.call('POST', '/v1/scorers', {
      ...{ name: 'ember_1: assertions', kind: 'code', language: 'typescript', pass_threshold: 1 },
      code: "export const handler = () => ({ score: 0.5, reason: '1/2 assertions; failed: 1' })",
    })
    const task = await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      ...{ title: 'ember_1: a task', instruction: 'Say that the kiln is hot.' },
      environment_version_id: world.version.id,
      scorers: [{ scorer_id: scorer.id, weight: 'med', pass_threshold: null }],
    })
    assert.equal(task.status, 201, task.text)
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suite.id,
      agents: ['careless@1.0.0'],
    })
    await eventually(
      async () => (await service.call('GET', `/v1/backtests/jobs/${job.id}`)).body.finished_at !== null,
      'the evaluation did not finish',
    )
    await page.goto(`${service.baseUrl}/evaluations/${job.id}`)
    await page.getByRole('link', { name: 'Benchmark report' }).click()
    const row = page.getByRole('row', { name: /careless@1\.0\.0 ember 1 1 50\.0/ })
    await row.waitFor()
    await page.getByText('| careless@1.0.0, ember | 1 | 1 | 50.0').waitFor()
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(seen.complaints, [])
  })
})
