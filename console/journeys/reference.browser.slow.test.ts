import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cannotRun, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

const slow = 120_000

describe('the API reference', { skip: cannotRun() }, () => {
  it('shows schemas and examples, and tries a request with the key that is signed in', async () => {
    await using seen = await visit()
    const { page, service } = seen
    await inBothThemes(page, async () => {
      await page.goto('about:blank')
      await page.goto(`${service.baseUrl}/docs#tag/account/GET/v1/me`)
      const operation = page.locator('section[id$="GET/v1/me"]')
      const tryIt = operation.getByRole('button', { name: /Test Request/ })
      await tryIt.waitFor({ timeout: slow })
      await operation.filter({ hasText: /curl http/ }).waitFor()
      await operation.getByRole('button', { name: /^200/ }).click()
      await operation.getByText('database_bytes').first().waitFor()
      const choose = async (from: RegExp, to: string) => {
        await operation.getByRole('button', { name: from }).click()
        await page.getByRole('option', { name: to }).click()
      }
      await choose(/^curl/i, 'TypeScript')
      await operation.filter({ hasText: /await client\.me\.get\(\)/ }).waitFor()
      await choose(/^TypeScript/, 'Python')
      await operation.filter({ hasText: /from diorama import Diorama/ }).waitFor()
      await choose(/^Python/, 'curl')
      await tryIt.click()
      const client = page.getByRole('dialog')
      await client.getByRole('button', { name: /^Send get request/ }).click()
      await client.getByText(/200\s*OK/).waitFor({ timeout: slow })
      await client.getByText('first key').first().waitFor()
      await page.keyboard.press('Escape')
      await page.goto('about:blank')
      await page.goto(`${service.baseUrl}/docs`)
      await page.getByRole('heading', { name: 'Diorama', level: 1 }).waitFor({ timeout: slow })
    })
    const text = await fetch(`${service.baseUrl}/llms.txt`)
    assert.equal(text.status, 200)
    assert.match(await text.text(), /^# Diorama/)
    assert.deepEqual(seen.complaints, [])
  })
})
