import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../../test/eventually.ts'
import { testDatabase } from '../../../storage/testing.ts'
import { joinService, testService } from '../../../testing.ts'
import { killProcess, startProcess, stopProcess } from '../../../testing-process.ts'
import { ledgersOf, startRuns } from './testing-ledger.ts'

describe('the same agent on the same suite', () => {
  let first: string | undefined
  const hold = (ledgers: readonly string[]) => {
    first ??= ledgers[0]
    assert.ok(first && first.length > 5_000)
    for (const ledger of ledgers) assert.equal(ledger, first)
  }

  it('leaves the same ledger, byte for byte, in ten runs on one node', async () => {
    await using service = await testService()
    const ledgers = await ledgersOf(service, await startRuns(service, 5))
    assert.equal(ledgers.length, 10)
    hold(ledgers)
  })

  it('leaves the same ledger, byte for byte, in ten runs on three nodes', async () => {
    await using service = await testService()
    await using _second = await joinService(service)
    await using _third = await joinService(service)
    const ledgers = await ledgersOf(service, await startRuns(service, 5))
    assert.equal(ledgers.length, 10)
    hold(ledgers)
  })

  it('leaves the same ledger when the node is killed in the middle of a run', async () => {
    await using database = await testDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'diorama-same-'))
    const key = 'dk_test_same_ledger_0123456789abcdef'
    const start = () => startProcess(folder, key, { DATABASE_URL: database.url })
    const callerOf = (baseUrl: string) => ({
      call: async (method: string, path: string, body?: unknown) => {
        const reply = await fetch(`${baseUrl}${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const text = await reply.text()
        return { body: JSON.parse(text), text }
      },
    })
    const client = new pg.Client(database.url)
    await client.connect()
    let running = await start()
    try {
      const path = await startRuns(callerOf(running.baseUrl), 1)
      await eventually(async () => (await writesInTrials(client)) >= 2, 'no trial has got to its middle')
      await killProcess(running)
      running = await start()
      const caller = callerOf(running.baseUrl)
      hold(await ledgersOf(caller, path))
      const { items } = (await caller.call('GET', `${path}/trials?limit=10`)).body
      assert.ok(items.some(({ attempt }: { attempt: number }) => attempt > 1))
    } finally {
      await client.end()
      await stopProcess(running)
      await rm(folder, { recursive: true, force: true })
    }
  })
})

/** How many steps of trials are in the ledger by which something was changed. */
const writesInTrials = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query(
    'select count(*)::int as count from twin_steps join twins on twins.id = twin_id where trial_id is not null and not is_read',
  )
  return rows[0].count
}
