import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../../test/eventually.ts'
import { readMark } from '../embedded/cluster.ts'
import { processesIn } from '../embedded/processes.ts'
import { silentLog } from '../log.ts'
import { openStorage } from '../storage.ts'
import { startWriting } from './crash-parent.ts'

const rounds = 20
const endless = 10_000_000
/** Kills come at any moment of this stretch after the first write of a round. */
const stretchMs = 400

const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), 'diorama-crash-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const readAll = async (dataDir: string): Promise<ReadonlySet<string>> => {
  await using storage = await openStorage({ dataDir, log: silentLog, now: Date.now, random: randomBytes })
  const rows = await storage.db.selectFrom('organizations').select('id').execute()
  return new Set(rows.map((row) => row.id))
}

/** The server that runs now. Rows told late may make us ask while the last one is dead and the next is not there. */
const serverIn = (cluster: string): Promise<number> =>
  eventually(() => {
    const pid = Number.parseInt(readMark(join(cluster, 'postmaster.pid')), 10)
    return processesIn(cluster).includes(pid) && pid
  }, `no server runs in ${cluster}`)

const lost = (claimed: Iterable<string>, kept: Iterable<string>): readonly string[] => {
  const there = new Set(kept)
  return [...claimed].filter((id) => !there.has(id))
}

test(`we are killed ${rounds} times during writes: every acknowledged row is there at each next start`, async (t) => {
  using folder = temporary()
  const claimed = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    await using writer = startWriting({ dataDir: folder.path, rows: endless })
    assert.deepEqual(lost(claimed, await writer.opened), [], `round ${round}`)
    await writer.more(1)
    await pause(randomInt(stretchMs))
    writer.process.kill('SIGKILL')
    await writer.ended
    for (const id of writer.wrote) claimed.add(id)
  }
  assert.deepEqual(lost(claimed, await readAll(folder.path)), [])
  t.diagnostic(`${claimed.size} acknowledged rows, none lost`)
})

test(`we are killed ${rounds} times while starting: the next start works`, async () => {
  using folder = temporary()
  for (let round = 0; round < rounds; round++) {
    await using writer = startWriting({ dataDir: folder.path, rows: endless })
    await pause(randomInt(1_500))
    writer.process.kill('SIGKILL')
    await writer.ended
  }
  await readAll(folder.path)
})

test(`the database server is killed ${rounds} times during writes: writing continues on its own and no acknowledged row is lost`, async (t) => {
  using folder = temporary()
  await using writer = startWriting({ dataDir: folder.path, rows: endless })
  await writer.opened
  for (let round = 0; round < rounds; round++) {
    await writer.more(20)
    await pause(randomInt(stretchMs))
    process.kill(await serverIn(join(folder.path, 'database', 'cluster')), 'SIGKILL')
  }
  await writer.more(20)
  writer.process.kill('SIGKILL')
  await writer.ended
  assert.deepEqual(lost(writer.wrote, await readAll(folder.path)), [])
  t.diagnostic(`${writer.wrote.size} acknowledged rows, none lost`)
})
