import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { cannotRun, furnish, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 2, 2, 9) + ms).toISOString()

const modelCall = {
  trace_id: 'support-1',
  name: 'Answer a customer',
  attributes: { agent: 'support@2.1.0' },
  spans: [
    { span_id: 'root', name: 'invoke_agent support', started_at: at(0), ended_at: at(12_000) },
    {
      span_id: 'call',
      parent_span_id: 'root',
      name: 'chat small-model',
      status: 'error',
      started_at: at(1_000),
      duration_ms: 3_000,
      attributes: {
        'gen_ai.request.model': 'small-model',
        'gen_ai.usage.input_tokens': 1_200,
        'gen_ai.usage.output_tokens': 34,
        'gen_ai.usage.cost': 0.0042,
        region: 'eu-west',
      },
    },
  ],
}

describe('telemetry in the console', { skip: cannotRun() }, () => {
  it('is filtered, leads from a trace to its trial and back, and shows tokens and cost', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { suiteId } = await furnish(service)
    await service.call('POST', '/v1/traces/track', modelCall)
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['careless@1.0.0'],
    })
    await eventually(async () => {
      const { body } = await service.call('GET', '/v1/traces?agent=careless')
      return body.items.length === 4 && job.id !== undefined
    }, 'the trials were not recorded as traces')
    const rows = page.getByRole('region', { name: 'Traces' }).getByRole('button')
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/telemetry?tab=traces`)
      await page.getByRole('button', { name: /Answer a customer/ }).waitFor()
      assert.equal(await rows.count(), 5)
      await page.getByLabel('Status').selectOption('error')
      await page.getByLabel('Duration').selectOption('10 s to 1 min')
      await eventually(async () => (await rows.count()) === 1, 'the filters did not narrow the list')
      await page.getByLabel('Attribute').fill('region=eu-west')
      await page.getByLabel('Attribute').press('Enter')
      await page.waitForURL(/attribute=region/)
      await page.getByRole('button', { name: /Answer a customer/ }).click()
      await page.getByRole('heading', { name: 'Answer a customer' }).waitFor()
      await page.getByRole('button', { name: /chat small-model.*failed.*1,234.*\$0\.0042/s }).click()
      await page.getByRole('complementary').getByText('1,200 in, 34 out').waitFor()
    })
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/telemetry?tab=traces`)
      await page.getByLabel('Agent').selectOption('careless')
      await page.getByLabel('Task').fill('calder valley')
      await page.getByLabel('Task').press('Enter')
      await eventually(async () => (await rows.count()) === 1, 'the filters did not narrow the list')
      await rows.first().click()
      await page.getByRole('heading', { name: 'Escalate the Calder Valley case' }).waitFor()
      await page.getByRole('link', { name: 'Trial', exact: true }).click()
      await page.getByRole('region', { name: 'Scores' }).waitFor()
      await page.getByRole('link', { name: 'Trace', exact: true }).click()
      await page.getByRole('region', { name: 'Spans' }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('shows what is found, and what happened to a record, as cards', async () => {
    await using seen = await visit({ service: { embeddings: 'local' } })
    const { page, service } = seen
    const { twin } = await furnish(service)
    await service.call('POST', '/v1/events', {
      source: 'shop',
      topic: 'orders',
      event_type: 'delivery_delayed',
      entities: { case: '00001001' },
      payload: { carrier: 'Northway', days_late: 4, address: { city: 'Halifax' } },
    })
    const { baseUrl, token } = twin('crm')
    const query = encodeURIComponent("SELECT Id FROM Case WHERE CaseNumber = '00001001'")
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const api = `${baseUrl}/services/data/v60.0`
    const found = await (await fetch(`${api}/query?q=${query}`, { headers })).json()
    const changed = await fetch(`${api}/sobjects/Case/${found.records[0].Id}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ Status: 'Escalated' }),
    })
    assert.equal(changed.status, 204)
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/telemetry/entities/case/00001001`)
      await page.getByText('Northway').waitFor()
      await page.getByText('Days late').waitFor()
      await page.getByRole('heading', { name: /Updated Case 00001001/ }).waitFor()
      await page.getByText('Escalated', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Open the request' }).click()
      await page.getByRole('complementary', { name: 'Inspector' }).waitFor()
    })
    await eventually(async () => {
      const { body } = await service.call('POST', '/v1/search', { query: 'Northway' })
      return body.items.length > 0
    }, 'the event was not indexed')
    await inBothThemes(page, async () => {
      await page.goto(`${service.baseUrl}/telemetry?tab=search`)
      await page.getByLabel('Search events and spans').fill('Northway')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.getByText('Carrier').waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })
})
