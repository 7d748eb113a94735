import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openStandIn } from '../server/src/models/testing.ts'
import { cannotRun, furnish, keepPicture, visit } from './testing.ts'

const skip = cannotRun()
const slow = 60_000

describe('suites in the console', { skip }, () => {
  it('are written from nothing, published, changed and compared', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await furnish(service)
    await page.goto(`${service.baseUrl}/suites`)
    await page.getByRole('button', { name: 'New suite' }).click()
    await page.getByLabel('Name').fill('Escalations')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'Escalations', level: 1 }).waitFor()

    await page.getByRole('button', { name: 'Add a task' }).click()
    const form = page.getByRole('form', { name: 'New task' })
    await form.getByLabel('Title').fill('Escalate it')
    await form.getByLabel('Instruction').fill('Set the drift case to Escalated.')
    await form.getByLabel('Expected outcome').fill('The case is escalated.')
    await form.getByLabel('World', { exact: true }).selectOption({ label: 'Fernwright Instruments' })
    const scorer = form.getByLabel('Add a scorer')
    const first = await scorer.locator('option', { hasText: 'Case escalated' }).getAttribute('value')
    await scorer.selectOption(first)
    await form.getByLabel('Weight of').selectOption('high')
    await form.getByLabel('Pass threshold of').fill('0.5')
    await form.getByRole('button', { name: 'Add the task' }).click()
    await page.getByRole('heading', { name: 'Escalate it' }).waitFor()
    await page.getByText('version 1, weight high, threshold 0.5').waitFor()
    await page.getByRole('link', { name: /Fernwright Instruments version 1/ }).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The working copy is the same as version 1.').waitFor()

    await page.getByRole('button', { name: 'Edit Escalate it' }).click()
    const edit = page.getByRole('form', { name: 'Edit Escalate it' })
    await edit.getByLabel('Instruction').fill('Set the drift case to Escalated and say so.')
    await edit.getByLabel('Weight of').selectOption('low')
    await edit.getByRole('button', { name: 'Save the task' }).click()
    await page.getByText('1 task differs from version 1 and is not published').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'What changed in version 2' }).click()
    await page.getByText('From version 1 to version 2').waitFor()
    await page.getByText('changed Escalate it').waitFor()
    await page.locator('mark', { hasText: 'and say so.' }).waitFor()
    await keepPicture(page, 'suite-versions')

    await page.getByRole('button', { name: 'Delete Escalate it' }).click()
    await page.getByRole('button', { name: 'Delete the task' }).click()
    await page.getByText('No tasks yet.').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  it('take a task from what an agent once did', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const said = (role: string, content: string) =>
      JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
    await service.call('POST', '/v1/traces/track', {
      trace_id: 'asked-once',
      name: 'Order question',
      spans: [
        {
          span_id: 'ask',
          name: 'invoke_agent helper',
          started_at: '2026-01-05T09:00:00Z',
          ended_at: '2026-01-05T09:00:09Z',
          attributes: {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.input.messages': said('user', 'Which open orders of Lakeshore are late?'),
            'gen_ai.output.messages': said('assistant', 'Orders 7001 and 7004.'),
          },
        },
      ],
    })
    const { body: suite } = await service.call('POST', '/v1/task-suites', { name: 'From traces' })
    await page.goto(`${service.baseUrl}/suites/${suite.id}`)
    await page.getByRole('button', { name: 'From a trace' }).click()
    await page.getByLabel('Trace id').fill('asked-once')
    await page.getByLabel('Notes').fill('Both orders must be named.')
    await page.getByRole('button', { name: 'Create task' }).click()
    const form = page.getByRole('form', { name: /^Edit / })
    await form.waitFor()
    assert.match(await form.getByLabel('Instruction').inputValue(), /Which open orders of Lakeshore are late/)
    assert.match(await form.getByLabel('Expected outcome').inputValue(), /Both orders must be named/)
    assert.deepEqual(seen.complaints, [])
  })

  it('have scorers that come with the service', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await page.goto(`${service.baseUrl}/suites`)
    await page.getByRole('button', { name: 'Built-in scorers' }).click()
    const { body: builtins } = await service.call('GET', '/v1/scorers/builtins')
    await page.getByRole('dialog').getByLabel('Scorer').selectOption(builtins.items[0].slug)
    await page.getByLabel('Name').fill('My check')
    await page.getByRole('button', { name: 'Add to the library' }).click()
    await page.getByRole('heading', { name: 'My check', level: 1 }).waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  it('have judges, whose choices are tried on the bench and kept', async () => {
    await using model = await openStandIn(() => ({
      text: JSON.stringify({ rationale: 'It names half of them.', choice: 'partly' }),
    }))
    await using seen = await visit({
      service: {
        judgeModel: 'local/judge',
        models: {
          providers: { local: { wire: 'openai', base_url: model.baseUrl, api_key: 'none' } },
          prices: {},
          timeoutMs: 10_000,
        },
      },
    })
    const { page, service } = seen
    await page.goto(`${service.baseUrl}/scorers/new`)
    await page.getByLabel('Name').fill('Names all of them')
    await page.getByLabel('Kind').selectOption('llm-judge')
    await page.getByLabel('Score of choice 2').fill('0.4')
    await page.getByRole('button', { name: 'Run the scorer' }).click()
    await page.getByText('0.40').waitFor({ timeout: slow })
    await page.getByText('It names half of them.').waitFor()
    await page.locator('.bench-result .tag', { hasText: 'partly' }).waitFor()
    assert.match(JSON.stringify(model.asked[0]?.body), /partly/)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Names all of them' }).waitFor()
    assert.equal(await page.getByLabel('Score of choice 2').inputValue(), '0.4')
    await keepPicture(page, 'judge')
    assert.deepEqual(seen.complaints, [])
  })
})
