import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { silentLog } from '../log.ts'
import { openStorage } from '../storage.ts'
import { backUpEmbedded } from './backup.ts'

const open = (dataDir: string) => openStorage({ dataDir, log: silentLog, now: Date.now, random: randomBytes })

describe('a backup of the embedded database', () => {
  it('is taken while the service writes, and restores to a whole data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-backup-'))
    const [dataDir, target] = [join(folder, 'data'), join(folder, 'copy')]
    try {
      let before = 0
      let after = 0
      {
        await using storage = await open(dataDir)
        await storage.pool.query('create table written (n bigint primary key, filler text)')
        const write = () =>
          storage.pool.query("insert into written values ($1, repeat('x', 2000))", [after]).then(() => {
            after++
          })
        for (let n = 0; n < 200; n++) await write()
        before = after
        let done = false
        const writing = (async () => {
          while (!done) await write()
        })()
        await backUpEmbedded({ dataDir, target })
        done = true
        await writing
        await assert.rejects(backUpEmbedded({ dataDir, target }), /is not empty/)
        const inside = backUpEmbedded({ dataDir, target: join(dataDir, 'copy') })
        await assert.rejects(inside, /inside the data folder/)
      }
      await using restored = await open(target)
      const { rows } = await restored.pool.query('select count(*) as count, max(n) + 1 as next from written')
      const [{ count, next }] = rows
      assert.equal(count, next, 'no row is missing in the middle')
      assert.ok(count >= before && count <= after, `${before} <= ${count} <= ${after}`)
      await restored.pool.query('insert into written values (-1)')
      await assert.rejects(
        backUpEmbedded({ dataDir, target: join(folder, 'other') }),
        /No service .* runs in/,
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
