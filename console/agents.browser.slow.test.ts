import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openStandIn } from '../server/src/models/testing.ts'
import { barriers, cannotRun, keepPicture, visit } from './testing.ts'

const skip = cannotRun()
const slow = 60_000

describe('agents in the console', { skip }, () => {
  it('are talked to, and what they do for a reply is next to it', async () => {
    await using model = await openStandIn(() => ({ text: 'Two orders are late: 7001 and 7004.' }))
    await using seen = await visit({
      service: {
        models: {
          providers: { local: { wire: 'openai', base_url: model.baseUrl } },
          prices: { 'local/small': { input: 1, output: 2 } },
          timeoutMs: 10_000,
        },
      },
    })
    const { page, service } = seen
    await service.call('POST', '/v1/agents/register', {
      name: 'helper',
      version: '1',
      instructions: 'You are brief.',
      model: { provider: 'local', id: 'small' },
    })
    await page.goto(`${service.baseUrl}/agents/helper`)
    await page.getByRole('button', { name: 'Chat' }).click()
    await page.getByRole('button', { name: 'Start the chat' }).click()
    await page.getByLabel('Message', { exact: true }).fill('Which orders are late?')
    await page.keyboard.press('Enter')
    await page.getByText('Two orders are late: 7001 and 7004.').waitFor({ timeout: slow })
    await page.getByRole('region', { name: 'Reply 1' }).getByText('model', { exact: true }).waitFor()
    await keepPicture(page, 'agent-chat')
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(seen.complaints, [])
  })
})
