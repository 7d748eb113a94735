import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { eventually } from '../../../../test/eventually.ts'
import { advertisedAddress } from '../../advertised-address.ts'
import { testDatabase } from '../../storage/testing.ts'
import { testService } from '../../testing.ts'

/** Takes a database away as a stopped server would: no new connections, and the old ones cut. */
const takeAway = async (databaseUrl: string) => {
  const name = new URL(databaseUrl).pathname.slice(1)
  const admin = new pg.Client({
    connectionString: Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href,
  })
  await admin.connect()
  const allow = (yes: boolean) => admin.query(`alter database ${name} allow_connections ${yes}`)
  await allow(false)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return {
    giveBack: () => allow(true),
    [Symbol.asyncDispose]: () => admin.end(),
  }
}

describe('without its database', () => {
  it('a node is not ready and answers 503 with Retry-After, never 500, and recovers alone', async () => {
    await using service = await testService()
    assert.equal((await service.call('GET', '/readyz')).status, 200)
    {
      await using taken = await takeAway(service.databaseUrl)
      try {
        const ready = await service.call('GET', '/readyz')
        await eventually(async () => (await service.call('GET', '/readyz')).status === 503, ready.text)
        for (const [method, path] of [
          ['GET', '/v1/api-keys'],
          ['GET', '/v1/events'],
          ['POST', '/v1/builder/worlds'],
        ] as const) {
          const key = { key: `dk_${'0'.repeat(40)}` }
          const reply = await service.call(method, path, method === 'POST' ? {} : undefined, key)
          assert.deepEqual([reply.status, reply.body.code], [503, 'unavailable'], `${path} ${reply.text}`)
          assert.equal(reply.headers.get('retry-after'), '1')
        }
        assert.equal((await service.call('GET', '/healthz')).status, 200)
      } finally {
        await taken.giveBack()
      }
    }
    await eventually(async () => (await service.call('GET', '/readyz')).status === 200, 'it stays unready')
    assert.equal((await service.call('GET', '/v1/me')).status, 200)
  })
})

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))

/** Starts the program and waits for its end. */
const startAndFail = async (env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, DIORAMA_EMBEDDINGS: 'off', DIORAMA_LOG: 'none', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

describe('a start that cannot succeed', () => {
  it('says in one line that the port is taken and what to do', async () => {
    await using database = await testDatabase()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const dataDir = await mkdtemp(join(tmpdir(), 'diorama-busy-'))
    try {
      const { port } = taken.address() as AddressInfo
      const { code, said } = await startAndFail({
        PORT: String(port),
        DATABASE_URL: database.url,
        DIORAMA_DATA_DIR: dataDir,
      })
      assert.equal(code, 1)
      assert.equal(
        said,
        `diorama: Another program listens on 127.0.0.1:${port}. Stop it, or set PORT to a free port (PORT=0 chooses one).\n`,
      )
    } finally {
      taken.close()
      await rm(dataDir, { recursive: true })
    }
  })

  it('says in one line that the data folder cannot be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-unwritable-'))
    try {
      // A file in the place of a folder is refused to root as well.
      await writeFile(join(folder, 'file'), '')
      const dataDir = join(folder, 'file', 'data')
      const { code, said } = await startAndFail({ PORT: '0', DIORAMA_DATA_DIR: dataDir })
      assert.equal(code, 1)
      assert.match(
        said,
        /^diorama: The data folder .* cannot be written \(ENOTDIR .*\)\. Set DIORAMA_DATA_DIR .*\n$/,
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('the address that is advertised to other nodes', () => {
  const interfaces = [
    { address: '127.0.0.1', family: 'IPv4', internal: true },
    { address: 'fe80::1', family: 'IPv6', internal: false },
    { address: '2001:db8::7', family: 'IPv6', internal: false },
    { address: '192.0.2.7', family: 'IPv4', internal: false },
  ]
  it('is one that another machine can reach when the node listens on all of them', () => {
    const all = { host: '0.0.0.0', listening: 'http://127.0.0.1:4400', interfaces }
    assert.equal(advertisedAddress(all), 'http://192.0.2.7:4400')
    assert.equal(
      advertisedAddress({ ...all, interfaces: interfaces.slice(0, 3) }),
      'http://[2001:db8::7]:4400',
    )
    assert.equal(advertisedAddress({ ...all, interfaces: interfaces.slice(0, 2) }), 'http://127.0.0.1:4400')
    const one = { host: '198.51.100.1', listening: 'http://198.51.100.1:4400', interfaces }
    assert.equal(advertisedAddress(one), 'http://198.51.100.1:4400')
  })
})
