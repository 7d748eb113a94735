import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { cannotRun, furnish, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

const slow = 60_000

const follow = async (page: Page, from: string, link: string, to: RegExp) => {
  await page.goto(from)
  await page.getByRole('link', { name: link, exact: true }).first().click({ timeout: slow })
  await page.waitForURL(to)
}

describe('a company in the console', { skip: cannotRun() }, () => {
  it('links every reference to its record, in every service', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId } = await furnish(service)
    const world = `${service.baseUrl}/worlds/${worldId}`
    await inBothThemes(page, async () => {
      await follow(page, `${world}/crm?record=calder-drift-case`, 'Calder Valley Water', /collection=Account/)
      await page.getByRole('heading', { name: 'Calder Valley Water', level: 2 }).waitFor()
      await follow(page, `${world}/crm?record=calder-drift-case`, 'Priya Nair', /collection=Contact/)
      await follow(page, `${world}/crm?record=calder-drift-case`, 'Nadia Rahman', /collection=User/)
      await follow(page, `${world}/crm?collection=Opportunity`, 'Calder Valley Water', /collection=Account/)
      await follow(page, `${world}/erp`, 'Calder Valley Water', /collection=business_partner/)
      await follow(page, `${world}/erp?record=so-calder-spares`, 'RILL-4-PROBE', /collection=product/)
      await follow(page, `${world}/tracker?record=drift`, 'Tomás Rivera', /collection=User/)
      await page
        .getByRole('complementary', { name: 'Inspector' })
        .getByRole('heading', { name: 'Tomás Rivera' })
        .waitFor()
      await follow(page, `${world}/tracker?record=drift`, 'Rill 4.2.1', /collection=Project/)
      await follow(page, `${world}/chat?record=calder-report`, 'Nadia Rahman', /collection=user/)
      await page
        .getByRole('complementary', { name: 'Inspector' })
        .getByRole('heading', { name: 'Nadia Rahman' })
        .waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('shows changes as sentences with names, and what a service refused in its way', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    const world = `${service.baseUrl}/worlds/${worldId}`
    const tracker = twin('tracker')
    const ask = (query: string) =>
      fetch(`${tracker.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: tracker.token, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      }).then((reply) => reply.json())
    const { data } = await ask('{ issues { nodes { id identifier } } }')
    const issue = data.issues.nodes.find(({ identifier }: { identifier: string }) => identifier === 'FW-3')
    await ask(`mutation { issueUpdate(id: "${issue.id}", input: { priority: 2 }) { success } }`)
    await ask('mutation { issueUpdate(id: "no-such", input: { priority: 1 }) { success } }')
    const chat = twin('chat')
    await fetch(`${chat.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'no-such-channel', text: 'Hello' }),
    })
    await fetch(`${chat.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'orders', text: 'Shipped :tada: and 🚚' }),
    })
    // A machine without a font for emoji shows their names in words.
    const shipped = /Shipped (🎉|\(tada\)) and (🚚|\(truck\))/
    await inBothThemes(page, async () => {
      await page.goto(`${world}/diff`)
      const card = page.locator('.change-card', { hasText: 'FW-3' })
      await card.getByText('Priority').waitFor({ timeout: slow })
      assert.match(await card.innerText(), /Medium\s*→[\s\S]*High/)
      assert.match(await card.innerText(), /hidden/)
      await page.locator('.change-card').getByText(shipped).first().waitFor()
      await page.goto(`${world}/ledger`)
      await page.getByRole('button', { name: shipped }).first().waitFor()
      await page.getByText(/updated Issue FW-3: Priority: Medium → High/).waitFor()
      await page.getByRole('button', { name: 'Refused', exact: true }).click()
      await page.getByText('refused: channel_not_found').waitFor()
      await page
        .getByText(/refused: .*(not found|invalid|Entity)/i)
        .first()
        .waitFor()
      await page.getByText(/updated Issue FW-3/).waitFor({ state: 'detached' })
    })
    const { body } = await service.call('GET', `/v1/builder/worlds/${worldId}/activity?refused=true`)
    assert.deepEqual(
      body.items.map(({ response }: { response: { status: number } }) => response.status),
      [200, 200],
    )
    assert.deepEqual(seen.complaints, [])
  })

  it('has an id, an age, runs and tags in the list; archived worlds are hidden by default', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId } = await furnish(service)
    const { body: other } = await service.call('POST', '/v1/builder/worlds', {
      blueprint: { ...(await service.call('GET', '/v1/builder/blueprint.sample.json')).body, name: 'Twice' },
    })
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/worlds/${worldId}/story`)
      await page.getByRole('button', { name: 'Tags' }).click({ timeout: slow })
      const dialog = page.getByRole('dialog', { name: 'Tags' })
      await dialog.getByLabel('Tags').fill(`nightly, ${theme}`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name: theme, exact: true }).click()
      await page.getByRole('link', { name: new RegExp(`Fernwright Instruments.*${worldId}.*ago`) }).waitFor()
      await page.getByRole('link', { name: /Twice/ }).waitFor({ state: 'detached' })
      await page.goto(`${service.baseUrl}/worlds/${other.world.id}/story`)
      await page.getByRole('button', { name: 'Archive' }).click({ timeout: slow })
      await page.getByRole('button', { name: 'Restore' }).waitFor()
      await page.goto(`${service.baseUrl}/worlds`)
      await page.getByRole('link', { name: /Fernwright Instruments/ }).waitFor()
      assert.equal(await page.getByRole('link', { name: /Twice/ }).count(), 0)
      await page.getByRole('button', { name: 'Show 1 archived or stopped' }).click()
      await page.getByRole('link', { name: /Twice.*archived/ }).click()
      await page.getByRole('button', { name: 'Restore' }).click()
      await page.getByRole('button', { name: 'Archive' }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })
})
