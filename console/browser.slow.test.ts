import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cannotRun, furnish, visit } from './testing.ts'
import { faultsOfPages } from './testing-pages.ts'

const skip = cannotRun()
const requests = 10_000
const atOnce = 50

describe('the console in a browser', { skip }, () => {
  it('keeps nobody out and cuts nothing off, in the dark and on a wide screen', async () => {
    await using seen = await visit()
    assert.deepEqual(await faultsOfPages(seen, ['dark', 'wide']), [])
    assert.deepEqual(seen.complaints, [])
  })

  it('scrolls through a ledger of 10,000 requests at 50 frames a second', async () => {
    await using seen = await visit()
    const { page, service } = seen
    const { worldId, twin } = await furnish(service)
    const { baseUrl, token } = twin('chat')
    for (let n = 0; n < requests; n += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          const reply = await fetch(`${baseUrl}/api/auth.test`, {
            headers: { authorization: `Bearer ${token}` },
          })
          await reply.arrayBuffer()
        }),
      )
    await page.goto(`${service.baseUrl}/worlds/${worldId}/ledger`)
    await page.getByText('auth.test').first().waitFor()
    // Every page of the list is fetched first, so that what is measured is the scrolling.
    await page.waitForFunction(
      (height) => {
        const list = document.querySelector('.rows-scroller')
        if (!list) return false
        list.scrollTop = list.scrollHeight
        return list.scrollHeight >= height
      },
      requests * 32,
      { timeout: 120_000, polling: 50 },
    )
    const rate = await page.evaluate(async () => {
      const list = document.querySelector('.rows-scroller')
      if (!list) return 0
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
      const start = await frame()
      let last = start
      let frames = 0
      while (last - start < 3_000) {
        list.scrollTop -= 90
        last = await frame()
        frames += 1
      }
      return frames / ((last - start) / 1_000)
    })
    process.stderr.write(`${rate.toFixed(1)} frames a second\n`)
    assert.ok(rate >= 50, `${rate.toFixed(1)} frames a second`)
  })
})
