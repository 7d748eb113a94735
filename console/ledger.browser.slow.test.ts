import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { cannotRun, furnish, keepPicture, visit } from './testing.ts'

const skip = cannotRun()
const slow = 60_000

interface Chat {
  readonly token: string
  readonly baseUrl: string
}

const ask = async ({ token, baseUrl }: Chat, method: string): Promise<void> => {
  const reply = await fetch(`${baseUrl}/api/${method}`, { headers: { authorization: `Bearer ${token}` } })
  await reply.arrayBuffer()
}
const askMany = async (chat: Chat, methods: readonly string[]): Promise<void> => {
  for (let n = 0; n < methods.length; n += 25)
    await Promise.all(methods.slice(n, n + 25).map((method) => ask(chat, method)))
}
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `probe.n${from + n}`)

/** The operations of every row from the top of the ledger to its end. */
const operationsIn = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const list = document.querySelector('.rows-scroller')
    if (!list) return []
    const seen = new Set<string>()
    const calm = () => new Promise((resolve) => setTimeout(resolve, 60))
    list.scrollTop = 0
    await calm()
    for (let step = 0; step < 1_000; step++) {
      for (const row of document.querySelectorAll('.rows-place .row > :nth-child(3)'))
        seen.add(row.textContent ?? '')
      if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) break
      list.scrollTop += list.clientHeight / 2
      await calm()
    }
    return [...seen]
  })

describe('the ledger in a browser', { skip }, () => {
  it('shows every request however fast they come, and keeps in place what is being read', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    await askMany(twin('chat'), numbered(40))
    await page.goto(`${service.baseUrl}/worlds/${worldId}/ledger`)
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('probe.n39', { exact: true }).waitFor()
    await askMany(twin('chat'), numbered(500, 40))
    await page.waitForFunction(
      (height) => (document.querySelector('.rows-scroller')?.scrollHeight ?? 0) >= height,
      540 * 32,
      { timeout: slow },
    )
    const shown = await operationsIn(page)
    assert.deepEqual(
      numbered(540).filter((operation) => !shown.includes(operation)),
      [],
    )
    const read = await page.evaluate(() => {
      const list = document.querySelector('.rows-scroller')
      if (list) list.scrollTop = 3_000
      return list?.scrollHeight ?? 0
    })
    await askMany(twin('chat'), numbered(20, 540))
    await page.waitForFunction(
      (height) => (document.querySelector('.rows-scroller')?.scrollHeight ?? 0) >= height,
      read + 20 * 32,
    )
    assert.equal(
      await page.evaluate(() => document.querySelector('.rows-scroller')?.scrollTop),
      3_000 + 20 * 32,
    )
    await keepPicture(page, 'ledger')
    assert.deepEqual(seen.complaints, [])
  })

  it('finds by operation, status and text what lies pages behind, and goes on live', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    await ask(twin('chat'), 'users.list')
    const { baseUrl } = twin('crm')
    await (await fetch(`${baseUrl}/services/data/v60.0/sobjects/Account/none`)).arrayBuffer()
    await askMany(twin('chat'), numbered(450))
    const rows = page.locator('.rows-place .row')
    const count = (wanted: number) =>
      page.waitForFunction(
        (number) => document.querySelectorAll('.rows-place .row').length === number,
        wanted,
      )
    await page.goto(`${service.baseUrl}/worlds/${worldId}/ledger?q=USERS.li`)
    await rows.getByText('users.list', { exact: true }).waitFor()
    await count(1)
    await page.getByLabel('Filter by operation, actor or path').fill('')
    await rows.getByText('probe.n449', { exact: true }).waitFor()
    await page.getByLabel('Operation', { exact: true }).fill('users.list')
    await page.getByLabel('Operation', { exact: true }).press('Enter')
    await count(1)
    await ask(twin('chat'), 'users.list')
    await ask(twin('chat'), 'auth.test')
    await count(2)
    await page.getByLabel('Operation', { exact: true }).fill('')
    await page.getByLabel('Operation', { exact: true }).press('Enter')
    await page.getByLabel('Status').selectOption('4xx')
    await count(1)
    await page.getByRole('button', { name: 'Refused', exact: true }).click()
    await page.waitForURL(/refused=yes/)
    await count(1)
    await page.getByLabel('Status').selectOption('5xx')
    await page.getByText('No requests match these filters.').waitFor()
    assert.deepEqual(seen.complaints, [])
  })

  it('says when it is not connected, asks meanwhile, and misses nothing when it is again', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    await page.route('**/activity/stream*', (route) => route.abort())
    await page.goto(`${service.baseUrl}/worlds/${worldId}/ledger`)
    await page.getByText('reconnecting…').waitFor()
    await askMany(twin('chat'), numbered(10))
    await page.getByText('probe.n9', { exact: true }).waitFor()
    await page.unroute('**/activity/stream*')
    await page.getByText('live', { exact: true }).waitFor({ timeout: slow })
    await askMany(twin('chat'), numbered(10, 10))
    await page.getByText('probe.n19', { exact: true }).waitFor()
    const shown = await operationsIn(page)
    assert.deepEqual(
      numbered(20).filter((operation) => !shown.includes(operation)),
      [],
    )
    assert.deepEqual(seen.complaints, [])
  })
})
