import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../test/eventually.ts'
import { cannotRun, furnish, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

const asPerson = (page: Page, name: string) => page.getByLabel('Act as').selectOption(name)

const approval = [
  {
    type: 'actions',
    block_id: 'choice',
    elements: [
      { type: 'button', action_id: 'approve', text: { type: 'plain_text', text: 'Approve' }, value: 'yes' },
    ],
  },
]

describe('a person in the console acts in the services', { skip: cannotRun() }, () => {
  it('by messages, replies and buttons in the chat, recorded in the ledger as that person', async () => {
    await using seen = await visit({ service: { deliveryAllow: ['127.0.0.1'] } })
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    const chat = twin('chat')
    await service.call('PUT', `/v1/twins/${chat.id}/settings`, {
      manifest: {
        settings: { interactivity: { is_enabled: true, request_url: `${service.baseUrl}/healthz` } },
      },
    })
    const posted = await fetch(`${chat.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'orders', text: 'Ship the probes?', blocks: approval }),
    })
    assert.equal((await posted.json()).ok, true)
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/worlds/${worldId}/chat`)
      await page.getByRole('button', { name: 'orders' }).click()
      assert.equal(await page.getByRole('textbox', { name: /^Message #orders/ }).count(), 0)
      assert.ok(await page.getByRole('button', { name: 'Approve' }).isDisabled())
      await asPerson(page, 'Imogen Hale')
      await page.getByLabel('Message #orders as Imogen Hale').fill(`Is it ready, ${theme} side?`)
      await page.keyboard.press('Enter')
      const message = page.locator('.message', { hasText: `Is it ready, ${theme} side?` })
      await message.waitFor()
      await message.getByRole('button', { name: 'Reply in thread' }).click()
      await asPerson(page, 'Gus Lindqvist')
      await page.getByLabel('Reply as Gus Lindqvist').fill(`Packed (${theme}).`)
      await page.getByRole('button', { name: 'Send' }).last().click()
      await page.getByRole('complementary', { name: 'Thread' }).getByText(`Packed (${theme}).`).waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await eventually(
        () => page.getByRole('button', { name: 'Approve' }).isEnabled(),
        'pressing the button did not end',
      )
      await page.getByRole('link', { name: 'Ledger' }).click()
      await page
        .getByRole('button', { name: /interact.*gus/s })
        .first()
        .waitFor()
      await page
        .getByRole('button', { name: /chat\.postMessage.*gus/s })
        .first()
        .waitFor()
    })
    const { body } = await service.call('GET', `/v1/twins/${chat.id}/activity?operation=chat.postMessage`)
    const actors = body.items.map(({ actor }: { actor: { subject: string } }) => actor.subject)
    assert.deepEqual(actors, ['gus', 'imogen.hale', 'gus', 'imogen.hale', 'integration'])
    const { body: pressed } = await service.call('GET', `/v1/twins/${chat.id}/activity?operation=interact`)
    assert.deepEqual(
      pressed.items.map(({ actor }: { actor: { subject: string } }) => actor.subject),
      ['gus', 'gus'],
    )
    assert.deepEqual(seen.complaints, [])
  })

  it('by moving a card, editing an issue and commenting on it in the tracker', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId } = await furnish(service)
    await page.setViewportSize({ width: 1920, height: 1000 })
    const columns = { light: 'Todo', dark: 'Done' } as const
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/worlds/${worldId}/tracker`)
      await asPerson(page, 'Imogen Hale')
      const card = page.getByRole('button', { name: /Show uptime in the boot log/ })
      const column = page.getByRole('region', { name: columns[theme], exact: true })
      await card.dragTo(column)
      await column.getByRole('button', { name: /Show uptime in the boot log/ }).waitFor()
      await card.click()
      const form = page.getByRole('form', { name: 'Edit FW-4' })
      await form.getByLabel('Priority').selectOption(theme === 'light' ? 'High' : 'Low')
      await form.getByLabel('Assignee').selectOption('Aiko Tanaka')
      await form.getByLabel('Assignee').press('Control+s')
      const issue = page.getByRole('complementary', { name: 'Inspector' })
      await issue
        .locator('dd', { hasText: theme === 'light' ? 'High' : 'Low' })
        .first()
        .waitFor()
      await issue.getByLabel('Comment as Imogen Hale').fill(`Seen in the ${theme}.`)
      await issue.getByRole('button', { name: 'Comment' }).click()
      await issue.locator('.comment', { hasText: `Seen in the ${theme}.` }).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })

  it('by editing fields in the CRM and the ERP, and sees what the service refuses', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/worlds/${worldId}/crm?record=calder-drift-case`)
      await asPerson(page, 'Imogen Hale')
      const record = page.getByRole('form', { name: 'Edit Case' })
      await record.getByLabel('Priority').fill(theme === 'light' ? 'Low' : 'Medium')
      await record.getByRole('button', { name: 'Save' }).click()
      await page.locator('.highlights', { hasText: theme === 'light' ? 'Low' : 'Medium' }).waitFor()
      await page.goto(`${service.baseUrl}/worlds/${worldId}/erp?record=so-calder-spares&person=imogen.hale`)
      const order = page.getByRole('form', { name: /Edit order/ })
      await order.getByLabel('Customer reference').fill(`CVW-${theme}`)
      await order.getByLabel('Requested delivery').fill(theme === 'light' ? '2026-04-02' : '2026-04-03')
      await order.getByRole('button', { name: 'Save' }).click()
      await page.locator('.highlights', { hasText: `CVW-${theme}` }).waitFor()
      await order.getByLabel('Payment terms').fill('ZZZZ')
      await order.getByRole('button', { name: 'Save' }).click()
      await order.getByText(/The service refused it/).waitFor()
    })
    for (const kind of ['crm', 'erp'])
      await eventually(async () => {
        const { body } = await service.call('GET', `/v1/twins/${twin(kind).id}/activity?mutations_only=true`)
        return body.items.every(
          ({ actor }: { actor: { subject: string } }) => actor.subject === 'imogen.hale',
        )
      }, `the ledger of ${kind} names somebody else`)
    assert.deepEqual(seen.complaints, [])
  })
})
