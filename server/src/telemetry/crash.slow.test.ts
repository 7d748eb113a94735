import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../test/eventually.ts'
import { readMark } from '../storage/embedded/cluster.ts'
import { processesIn } from '../storage/embedded/processes.ts'
import { killProcess, type Running, startProcess, stopProcess } from '../testing-process.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 20)
const writers = 4
/** How long a round writes after its first acknowledgement, at most. */
const stretchMs = 600
const patienceMs = 20_000
const maxPages = 2_000

/** A request that is given up rather than waited for: a killed server must never hold up the test. */
const ask = async (service: Running, key: string, path: string, body?: unknown) => {
  const reply = await fetch(`${service.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(patienceMs),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: (await reply.json()) as Answered }
}
interface Answered {
  readonly items?: readonly { readonly id: string; readonly entities: Readonly<Record<string, string>> }[]
  readonly next_cursor?: string | null
}

/** Writes until it is stopped, and remembers which events were acknowledged. */
const write = async (service: Running, key: string, acknowledged: Set<string>, state: { stop: boolean }) => {
  while (!state.stop) {
    const events = Array.from({ length: randomInt(1, 20) }, (_, n) => ({
      source: 'crash',
      topic: 't',
      event_type: 'e',
      entities: { place: n === 0 ? 'first' : 'later' },
    }))
    try {
      const { status, body } = await ask(service, key, '/v1/events/batch', events)
      if (status === 201) for (const { id } of body.items ?? []) acknowledged.add(id)
    } catch {
      // Killed in the middle: what was not acknowledged is not claimed.
      await pause(10)
    }
  }
}

/** Everything a list shows, page by page. */
const readAll = async (service: Running, key: string, query: string): Promise<Set<string>> => {
  const seen = new Set<string>()
  let cursor = ''
  for (let page = 0; page < maxPages; page++) {
    const { status, body } = await ask(service, key, `/v1/events?limit=200&${query}${cursor}`)
    assert.equal(status, 200)
    for (const { id } of body.items ?? []) seen.add(id)
    if (!body.next_cursor) return seen
    cursor = `&cursor=${body.next_cursor}`
  }
  throw new Error(`The list did not end after ${maxPages} pages.`)
}

/** Writes may be acknowledged by what the last killed server left behind, so the next one is waited for. */
const killDatabase = async (dataDir: string) => {
  const cluster = join(dataDir, 'database', 'cluster')
  const pid = await eventually(() => {
    const main = Number.parseInt(readMark(join(cluster, 'postmaster.pid')), 10)
    return processesIn(cluster).includes(main) && main
  }, 'there is no database to kill')
  process.kill(pid, 'SIGKILL')
}

for (const victim of ['service', 'database'] as const)
  test(`every acknowledged event is there after the ${victim} is killed ${rounds} times during writes`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'diorama-telemetry-crash-'))
    const key = `dk_${randomBytes(24).toString('hex')}`
    const acknowledged = new Set<string>()
    // A killed process leaves no compiled code behind, and compiling is most of a start: a first life that ends in peace
    // leaves it for all that follow.
    const begin = () => startProcess(dataDir, key, { NODE_COMPILE_CACHE: join(dataDir, 'compiled') })
    await stopProcess(await begin())
    let service = await begin()
    try {
      for (let round = 0; round < rounds; round++) {
        const before = acknowledged.size
        const state = { stop: false }
        const writing = Array.from({ length: writers }, () => write(service, key, acknowledged, state))
        try {
          await eventually(() => acknowledged.size > before, 'nothing is acknowledged')
          await pause(randomInt(stretchMs))
          if (victim === 'service') await killProcess(service)
          else await killDatabase(dataDir)
        } finally {
          state.stop = true
          await Promise.all(writing)
        }
        if (victim === 'service') service = await begin()
      }
      await eventually(
        async () => (await ask(service, key, '/v1/events?limit=1')).status === 200,
        'lists are not answered',
      )
      const all = await readAll(service, key, 'source=crash')
      assert.deepEqual(
        [...acknowledged].filter((id) => !all.has(id)),
        [],
      )
      const linked = [
        ...(await readAll(service, key, 'entity_type=place&entity_id=first')),
        ...(await readAll(service, key, 'entity_type=place&entity_id=later')),
      ]
      assert.deepEqual(new Set(linked), all, 'every event that is there is found by its entity too')
      t.diagnostic(`${acknowledged.size} acknowledged events, none lost`)
    } finally {
      await stopProcess(service)
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
