import { randomBytes } from 'node:crypto'
import { silentLog } from '../log.ts'
import { openStorage } from '../storage.ts'

// The process that the crash tests kill: it opens storage, says so, and writes rows, naming each one after
// the database acknowledged it. Given the arguments: the data folder, how many rows, and perhaps a database.

const [, , dataDir = '', rows = '0', databaseUrl] = process.argv
const writers = 4

const main = async (): Promise<void> => {
  await using storage = await openStorage({
    dataDir,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  const { rows: found } = await storage.pool.query('select id from organizations order by id')
  console.log(`open ${JSON.stringify(found.map((row) => row.id))}`)
  let left = Number(rows)

  const write = async (): Promise<void> => {
    while (left-- > 0) {
      const id = storage.makeId('org')
      try {
        await storage.db.insertInto('organizations').values({ id, name: 'Row', limits: '{}' }).execute()
        console.log(`wrote ${id}`)
        await storage.wake.send('row', id)
      } catch {
        // The database server was killed: what was not acknowledged is not claimed, and writing goes on.
        console.log('failed')
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
  }

  await Promise.all(Array.from({ length: writers }, write))
}

await main().catch((error: unknown) => {
  console.log(`refused ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
})
