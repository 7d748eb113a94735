import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { eventually } from '../../../../../test/eventually.ts'
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

  it('leaves the same ledger on three nodes', async () => {
    await using service = await testService()
    await using _second = await joinService(service)
    await using _third = await joinService(service)
    hold(await ledgersOf(service, await startRuns(service, 3)))
  })

  it('leaves the same ledger when the node is killed in the middle', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-same-'))
    const key = 'dk_test_same_ledger_0123456789abcdef'
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
    let running = await startProcess(folder, key)
    try {
      const path = await startRuns(callerOf(running.baseUrl), 1)
      const isUnderWay = async () => {
        const { items } = (await callerOf(running.baseUrl).call('GET', `${path}/trials?limit=10`)).body
        return items.some(({ status }: { status: string }) => status === 'running')
      }
      await eventually(isUnderWay)
      await killProcess(running)
      running = await startProcess(folder, key)
      hold(await ledgersOf(callerOf(running.baseUrl), path))
    } finally {
      await stopProcess(running)
      await rm(folder, { recursive: true, force: true })
    }
  })
})
