import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { testStorage } from './testing.ts'

const run = promisify(execFile)

test('test processes that start at once share one server, each with its own databases', {
  skip: process.env.TEST_DATABASE_URL !== undefined && 'the server is given',
}, async () => {
  const program = `
    import { testStorage } from ${JSON.stringify(new URL('./testing.ts', import.meta.url).href)}
    await using test = await testStorage()
    const { rows } = await test.storage.pool.query('select pg_postmaster_start_time()::text as server, current_database() as database')
    console.log(JSON.stringify(rows[0]))`
  await using mine = await testStorage()
  const others = await Promise.all(
    Array.from({ length: 6 }, () => run(process.execPath, ['--input-type=module', '-e', program])),
  )
  const { rows } = await mine.storage.pool.query('select pg_postmaster_start_time()::text as server')
  const seen = others.map(({ stdout }) => JSON.parse(stdout))
  assert.deepEqual([...new Set(seen.map((row) => row.server))], [rows[0].server])
  assert.equal(new Set(seen.map((row) => row.database)).size, 6)
})
