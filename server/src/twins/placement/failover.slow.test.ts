import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../test/eventually.ts'
import { testDatabase } from '../../storage/testing.ts'
import { killProcess, type Running, startProcess, stopProcess } from '../../testing-process.ts'

const rounds = 2

interface Twin {
  readonly id: string
  readonly channel: string
  readonly token: string
}

/** Two nodes on one database: a twin on the first, which goes away, and the second, which is asked for it. */
const failOver = async (
  context: TestContext,
  leave: (first: Running, client: pg.Client) => Promise<void>,
) => {
  await using database = await testDatabase()
  const key = `dk_${randomBytes(24).toString('hex')}`
  const folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'diorama-failover-'))))
  const client = new pg.Client(database.url)
  await client.connect()
  const start = (folder = '') => startProcess(folder, key, { DATABASE_URL: database.url })
  let [first, second] = [await start(folders[0]), await start(folders[1])]
  const gaps: number[] = []
  const refusals = new Set<string>()
  try {
    for (let round = 0; round < rounds; round++) {
      const twin = await createTwin(first, key)
      for (let n = 0; n < 10; n++) assert.equal((await post(first, twin, `note ${n}`)).status, 200)
      let isGone = false
      const leaving = leave(first, client).then(() => {
        isGone = true
      })
      let [gap, answeredAt, posted] = [0, performance.now(), 10]
      await eventually(async () => {
        const afterGone = isGone
        const { status, headers } = await post(second, twin, `note ${posted}`)
        // Until the second one takes over it answers 503 with Retry-After; a live twin never answers 404.
        if (status !== 200) {
          refusals.add(`${status} retry after ${headers.get('retry-after')}`)
          return false
        }
        posted++
        gap = Math.max(gap, performance.now() - answeredAt)
        answeredAt = performance.now()
        return afterGone
      }, 'the twin was not taken over')
      await leaving
      gaps.push(gap)
      assert.equal(await countOf(second, twin), posted)
      ;[first, second] = [second, await start(folders[round % 2])]
    }
    assert.deepEqual(
      [...refusals].filter((refusal) => refusal !== '503 retry after 1'),
      [],
    )
    context.diagnostic(`not answered for at most ${gaps.map((gap) => `${Math.round(gap)} ms`).join(', ')}`)
  } finally {
    await client.end()
    await killProcess(first)
    await killProcess(second)
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  }
}

const createTwin = async (running: Running, key: string): Promise<Twin> => {
  const reply = await fetch(`${running.baseUrl}/v1/twins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ service: 'chat' }),
  })
  assert.equal(reply.status, 201)
  const { id, token } = (await reply.json()) as { id: string; token: string }
  const created = await call(running, { id, token }, 'conversations.create', { name: 'failover' })
  const { channel } = (await created.json()) as { channel: { id: string } }
  return { id, token, channel: channel.id }
}

const call = (
  running: Running,
  { id, token }: Pick<Twin, 'id' | 'token'>,
  method: string,
  body: Record<string, string>,
): Promise<Response> =>
  fetch(`${running.baseUrl}/t/${id}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(body),
  })

const post = async (running: Running, twin: Twin, text: string): Promise<Response> => {
  const reply = await call(running, twin, 'chat.postMessage', { channel: twin.channel, text })
  const body = await reply.text()
  if (reply.status === 200) assert.match(body, /^\{"ok":true/)
  return reply
}

/** How many of our messages the channel has. */
const countOf = async (running: Running, twin: Twin): Promise<number> => {
  const reply = await call(running, twin, 'conversations.history', { channel: twin.channel, limit: '999' })
  const { messages } = (await reply.json()) as { messages: { text: string }[] }
  return messages.filter(({ text }) => /^note \d+$/.test(text)).length
}

describe('the twins of a node that is gone', () => {
  it('are taken over before its lease ends when its process is killed', async (context) => {
    await failOver(context, async (first, client) => {
      // By its lease alone it would be believed alive for an hour.
      await client.query(`update leases set expires_at = clock_timestamp() + interval '1 hour'
        where starts_with(name, 'node:') and expires_at > clock_timestamp()`)
      await killProcess(first)
    })
  })

  it('are taken over when it is asked to end', async (context) => {
    await failOver(context, (first) => stopProcess(first))
  })
})
