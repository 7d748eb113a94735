import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cannotRun, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

describe('settings in the console', { skip: cannotRun() }, () => {
  it('change the organization, its retention and its hosts, and show prices, usage and disk', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await service.call('PUT', '/v1/model-providers/inhouse', {
      base_url: 'https://models.example.com/v1',
      prices: { 'small-model': { input: 0.5, output: 2 } },
    })
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/settings`)
      const form = page.getByRole('form', { name: 'Organization' })
      await form.getByLabel('Organization name').fill(`Fernwright ${theme}`)
      await form.getByLabel('Keep events and traces for (days)').fill(theme === 'light' ? '30' : '60')
      await form.getByLabel('Hosts that agents may reach').fill('Not A Host!')
      await form.getByLabel('Hosts that agents may reach').press('Control+s')
      await form
        .getByText(/must be a lower-case host name/)
        .first()
        .waitFor()
      await form.getByLabel('Hosts that agents may reach').fill('api.example.com\nfiles.example.com')
      await form.getByRole('button', { name: 'Save' }).click()
      await form.getByText('Saved.').waitFor()
      await page.getByRole('row', { name: /inhouse\/small-model/ }).waitFor()
      await page.getByText(/MB, all organizations/).waitFor()
    })
    const { body } = await service.call('GET', '/v1/me')
    assert.equal(body.organization.name, 'Fernwright dark')
    assert.equal(body.organization.limits.event_retention_days, 60)
    assert.deepEqual(body.organization.limits.agent_hosts, ['api.example.com', 'files.example.com'])
    assert.deepEqual(seen.complaints, [])
  })

  it('create no key without scopes', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/settings`)
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByLabel('Name', { exact: true }).fill(`ci-${theme}`)
      const create = page.getByRole('button', { name: 'Create', exact: true })
      assert.ok(await create.isDisabled())
      await page.getByLabel('Read worlds').check()
      await create.click()
      await page.getByTestId('secret').waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByLabel('Name', { exact: true }).fill(`everything-${theme}`)
      await page.getByLabel('Class').selectOption('platform')
      await create.click()
      await page.getByTestId('secret').waitFor()
    })
    const { body } = await service.call('GET', '/v1/api-keys')
    const made = body.items.filter(({ name }: { name: string }) => name !== 'first key')
    assert.equal(made.length, 4)
    assert.ok(made.every(({ scopes }: { scopes: string[] }) => scopes.length > 0))
    assert.deepEqual(seen.complaints, [])
  })
})
