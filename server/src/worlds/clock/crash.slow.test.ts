import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../test/eventually.ts'
import { testDatabase } from '../../storage/testing.ts'
import { killProcess, type Running, startProcess } from '../../testing-process.ts'
import type { Bent } from '../testing-blueprints.ts'
import { after, moving, post } from './testing-moving.ts'

const minutes = 3_000
/** Every ten minutes there are two actions by different people in two services. */
const events = [
  { key: 'tick', every: '1m', until: `${minutes}m`, as: 'gus', do: [post('tick')] },
  ...Array.from({ length: minutes / 10 }, (_, n) => ({
    key: `round-${n}`,
    at: `${n * 10 * 60 + 30}s`,
    as: 'gus',
    do: [
      post(`round ${n}`),
      {
        service: 'tracker',
        as: 'tomas',
        operation: 'commentCreate',
        input: { input: { issueId: { $key: 'radio-retry' }, body: `round ${n}` } },
      },
    ],
  })),
]
const expected = minutes + (minutes / 10) * 2

const api = async (running: Running, key: string, method: string, path: string, body?: unknown) => {
  const reply = await fetch(`${running.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: (await reply.json()) as Bent }
}

/** Moves the clock to the end of the story, as often as a node must be asked; undefined where the node is killed. */
const moveOn = (running: Running, key: string, path: string): Promise<Bent | undefined> =>
  eventually(async () => {
    const reply = await api(running, key, 'POST', path, { to: after(minutes) }).catch(() => undefined)
    // The node that ran the world is believed alive for some seconds.
    const isElsewhere = /cannot be reached|moving to another node/.test(reply?.body.error ?? '')
    return isElsewhere ? false : reply?.body
  }, 'the world was not taken over')

/** What the world has done so far, in the order of the ledger. */
const doneIn = async (client: pg.Client): Promise<{ mark: string; cause: string; at: string }[]> => {
  const { rows } = await client.query(
    'select mark, cause, world_time from twin_steps where mark is not null order by id collate "C"',
  )
  return rows.map(({ mark, cause, world_time }) => ({ mark, cause, at: world_time.toISOString() }))
}

const assertOnce = async (client: pg.Client): Promise<void> => {
  const done = await doneIn(client)
  assert.equal(new Set(done.map(({ mark }) => mark)).size, done.length, 'something happened twice')
  assert.equal(done.length, expected, 'something was lost')
  assert.deepEqual(
    done.map(({ at }) => at),
    done.map(({ at }) => at).toSorted(),
  )
  assert.deepEqual(
    done.filter(({ cause }) => cause === 'event:tick').map(({ at }) => at),
    Array.from({ length: minutes }, (_, n) => after(n + 1)),
  )
}

describe('what happens in a launched world happens once, in its order', () => {
  it('when its node is killed again and again while the clock moves', async (context) => {
    await using database = await testDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'diorama-moving-'))
    const key = `dk_${randomBytes(24).toString('hex')}`
    const start = () => startProcess(folder, key, { DATABASE_URL: database.url })
    const client = new pg.Client(database.url)
    await client.connect()
    let running = await start()
    try {
      const launched = await api(running, key, 'POST', '/v1/builder/worlds', {
        blueprint: moving({ events }),
      })
      assert.equal(launched.status, 201, JSON.stringify(launched.body))
      const path = `/v1/builder/worlds/${launched.body.world.id}/clock`
      let kills = 0
      for (; kills < 2; kills++) {
        const before = (await doneIn(client)).length
        const moved = moveOn(running, key, path)
        // At different places of the move, which goes on while we look.
        const wanted = Math.min(before + randomInt(1, 300), expected)
        await eventually(async () => (await doneIn(client)).length >= wanted, 'the world does not move')
        await killProcess(running)
        assert.equal(await moved, undefined, 'the move was over before the kill')
        running = await start()
      }
      context.diagnostic(`killed ${kills} times, the last time after ${(await doneIn(client)).length} steps`)
      const end = await moveOn(running, key, path)
      assert.deepEqual([end.now, end.error, end.fired, end.pending], [after(minutes), null, expected, 0])
      await assertOnce(client)
    } finally {
      await client.end()
      await killProcess(running)
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('when the node that moves it is killed and another one goes on', async () => {
    await using database = await testDatabase()
    const folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'diorama-moving-'))))
    const key = `dk_${randomBytes(24).toString('hex')}`
    const client = new pg.Client(database.url)
    await client.connect()
    const start = (folder = '') => startProcess(folder, key, { DATABASE_URL: database.url })
    const first = await start(folders[0])
    const second = await start(folders[1])
    try {
      const launched = await api(first, key, 'POST', '/v1/builder/worlds', { blueprint: moving({ events }) })
      assert.equal(launched.status, 201, JSON.stringify(launched.body))
      const path = `/v1/builder/worlds/${launched.body.world.id}/clock`
      const moved = moveOn(first, key, path)
      await eventually(async () => (await doneIn(client)).length >= 200, 'the world does not move')
      await killProcess(first)
      assert.equal(await moved, undefined, 'the move was over before the kill')
      const end = await moveOn(second, key, path)
      assert.deepEqual([end.now, end.error, end.fired, end.pending], [after(minutes), null, expected, 0])
      await assertOnce(client)
    } finally {
      await client.end()
      await killProcess(first)
      await killProcess(second)
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    }
  })
})
