import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { cannotRun, furnish, visit } from '../testing.ts'
import { inBothThemes } from './both-themes.ts'

/** A bot that takes events: it answers the challenge of its address, and notes what it is sent. */
const openBot = async () => {
  const events: string[] = []
  const server = createServer(async (request, reply) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString())
    if (body.type === 'event_callback') events.push(`${body.event.text} ${body.event_id}`)
    reply.end(body.challenge ?? '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    events,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('what services send, in the console', { skip: cannotRun() }, () => {
  it('is shown as it happens, can be sent again, and the app’s signing secret is shown on demand', async () => {
    await using bot = await openBot()
    await using seen = await visit({ service: { deliveryAllow: ['127.0.0.1'] } })
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    const chat = twin('chat')
    const { body: settings } = await service.call('PUT', `/v1/twins/${chat.id}/settings`, {
      manifest: {
        settings: { event_subscriptions: { request_url: bot.url, bot_events: ['message.channels'] } },
      },
    })
    const { signing_secret } = settings.credentials
    const say = async (text: string) => {
      const { body: people } = await service.call('GET', `/v1/twins/${chat.id}/identities`)
      const person = people.items.find((one: { subject: string }) => one.subject === 'gus')
      const posted = await fetch(`${chat.baseUrl}/api/chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel: 'orders', text }),
      })
      assert.equal((await posted.json()).ok, true)
    }
    await inBothThemes(page, async (theme) => {
      await page.goto(`${service.baseUrl}/worlds/${worldId}/deliveries`)
      await page.getByRole('button', { name: /chat/i }).click()
      const deliveries = page.getByRole('table')
      await deliveries.getByRole('row', { name: /url_verification.*delivered/ }).waitFor()
      await say(`Are they packed, ${theme} side?`)
      const rows = deliveries.getByRole('row', { name: /message\.channels/ })
      // The newest is the first; those of the theme before are below it.
      await rows.nth(theme === 'light' ? 0 : 1).waitFor()
      const row = rows.first()
      await row.getByRole('cell', { name: 'delivered' }).waitFor()
      await row.getByRole('button', { name: 'Resend message.channels' }).click()
      const sent = () => bot.events.filter((event) => event.startsWith(`Are they packed, ${theme} side?`))
      await eventually(() => sent().length === 2, 'the event was not sent again')
      assert.equal(new Set(sent()).size, 1, 'the same event with the same id')
      await deliveries
        .getByRole('row', { name: /message\.channels.* 2 / })
        .first()
        .waitFor()
      // A click anywhere in the row opens it: what was sent, the request that caused it, every attempt.
      await row.getByRole('cell', { name: 'delivered' }).click()
      const detail = page.getByRole('complementary', { name: 'Inspector' })
      await detail.getByText(`Are they packed, ${theme} side?`).waitFor()
      await detail.getByRole('heading', { name: 'Attempt 2' }).waitFor()
      await detail.getByRole('link').waitFor()
      await page.keyboard.press('Escape')
      await detail.waitFor({ state: 'detached' })
      assert.equal(await page.getByText(signing_secret).count(), 0)
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByText(signing_secret).waitFor()
    })
    assert.deepEqual(seen.complaints, [])
  })
})
