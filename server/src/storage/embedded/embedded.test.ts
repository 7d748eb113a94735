import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../test/eventually.ts'
import { silentLog } from '../log.ts'
import { openStorage } from '../storage.ts'
import { startWriting } from '../testing/crash-parent.ts'
import { nobodysAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { processesIn } from './processes.ts'

const isRoot = process.getuid?.() === 0
const asNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']

const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), 'diorama-storage-'))
  return {
    path,
    cluster: join(path, 'database', 'cluster'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A folder with a database in it, copied from one that was made once: making one takes most of a second. */
const prepared = () => {
  const folder = temporary()
  mkdirSync(join(folder.path, 'database'))
  cpSync(model.cluster, folder.cluster, { recursive: true })
  chmodSync(folder.cluster, 0o700)
  return folder
}

const open = (dataDir: string) => openStorage({ dataDir, log: silentLog, now: Date.now, random: randomBytes })

const start = (dataDir: string, options: Partial<EmbeddedOptions> = {}) => {
  const settings = { fsync: 'off', ...options.settings }
  return startEmbedded({ dataDir, log: silentLog, random: randomBytes, ...options, settings })
}

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const { rowCount } = await client.query('select 1')
  await client.end()
  return rowCount === 1
}

const serverPid = (cluster: string): number =>
  Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)

const model = temporary()
before(async () => (await start(model.path)).close())
after(() => model[Symbol.dispose]())

const unreachable = (): string | false => {
  // Every folder above must let others pass: a check as root, or of an executable alone, would not see it.
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0) return 'the checkout lies where only root may enter'
  return false
}

test('the embedded database starts, stops and keeps what was written', async () => {
  using folder = temporary()
  const first = await open(folder.path)
  await first.db.insertInto('organizations').values({ id: 'org_1', name: 'Ünï', limits: '{}' }).execute()
  await first.close()
  assert.deepEqual(processesIn(folder.cluster), [])
  assert.equal(existsSync(join(folder.path, 'database', 'socket')), false)

  await using second = await open(folder.path)
  const rows = await second.db.selectFrom('organizations').select(['id', 'name']).execute()
  assert.deepEqual(rows, [{ id: 'org_1', name: 'Ünï' }])
})

test('the socket asks for a password, which only the data folder has, also in a folder of an earlier version', async () => {
  using folder = temporary()
  const passwordFile = join(folder.path, 'database', 'password')
  const rulesFile = join(folder.cluster, 'pg_hba.conf')
  const withoutPassword = (url: string) => url.replace(/password=[^&]*/, 'password=guess')
  const isGuarded = async (url: string) => {
    await eventually(() => assert.rejects(answers(withoutPassword(url)), /password authentication failed/))
    assert.ok(await answers(url))
    assert.equal(statSync(passwordFile).mode & 0o777, 0o600)
  }
  {
    await using server = await start(folder.path)
    await isGuarded(server.url)
  }
  const kept = readFileSync(passwordFile, 'utf8')
  {
    await using server = await start(folder.path)
    await isGuarded(server.url)
    assert.equal(readFileSync(passwordFile, 'utf8'), kept)
  }
  // As an earlier version left it: without a password, open to anyone who reaches the socket.
  rmSync(passwordFile)
  writeFileSync(rulesFile, 'local all all trust\n')
  await using server = await start(folder.path)
  await isGuarded(server.url)
  assert.notEqual(readFileSync(passwordFile, 'utf8'), kept)
})

test('a second process on the same data folder is refused by name, and the first does not notice', async () => {
  using folder = prepared()
  await using first = await open(folder.path)
  await using second = startWriting({ dataDir: folder.path, rows: 1 })
  await assert.rejects(second.opened, (error: Error) => {
    assert.match(
      error.message,
      new RegExp(`${join(folder.path, 'database')} is in use by process ${process.pid}\\b`),
    )
    return true
  })
  await second.ended
  await assert.rejects(open(folder.path), { code: 'folder_in_use' })
  assert.equal((await first.pool.query('select 1')).rowCount, 1)
})

test('after kill -9 of us the server ends, and the next start has every acknowledged row', async () => {
  using folder = prepared()
  await using writer = startWriting({ dataDir: folder.path, rows: 100_000 })
  await writer.opened
  await writer.more(200)
  writer.process.kill('SIGKILL')
  await writer.ended
  await eventually(async () => assert.deepEqual(processesIn(folder.cluster), []))

  await using storage = await open(folder.path)
  const rows = await storage.db.selectFrom('organizations').select('id').execute()
  const kept = new Set(rows.map((row) => row.id))
  assert.deepEqual(
    [...writer.wrote].filter((id) => !kept.has(id)),
    [],
  )
})

test('after kill -9 of the database server it is started again and the pool recovers', async () => {
  using folder = prepared()
  await using storage = await open(folder.path)
  let missed = 0
  const heard = Promise.withResolvers<void>()
  storage.wake.on('topic', (payload) => {
    if (payload === undefined) missed++
    else heard.resolve()
  })
  await storage.db.insertInto('organizations').values({ id: 'org_1', name: 'One', limits: '{}' }).execute()
  process.kill(serverPid(folder.cluster), 'SIGKILL')
  const rows = await eventually(() => storage.db.selectFrom('organizations').select('id').execute())
  assert.deepEqual(rows, [{ id: 'org_1' }])
  await eventually(async () => assert.equal(missed, 1))
  await storage.wake.send('topic', 'x')
  await heard.promise
})

test('a server whose watcher was killed with us is ended before a new one starts', {
  skip: process.platform !== 'linux' && 'finds the watcher by /proc',
}, async () => {
  using folder = prepared()
  await using writer = startWriting({ dataDir: folder.path, rows: 100_000 })
  await writer.opened
  await writer.more(10)
  const server = serverPid(folder.cluster)
  // The watcher's two shells are the server's parent and the parent's other child.
  const parent = Number(readFileSync(`/proc/${server}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
  for (const pid of [parent, ...children.filter((pid) => pid !== server)]) process.kill(pid, 'SIGSTOP')
  for (const pid of [parent, ...children.filter((pid) => pid !== server)]) process.kill(pid, 'SIGKILL')
  writer.process.kill('SIGKILL')
  await writer.ended

  await using storage = await open(folder.path)
  assert.notEqual(serverPid(folder.cluster), server)
  const { rows } = await storage.pool.query('select count(*) as count from organizations')
  assert.ok(rows[0].count >= writer.wrote.size)
})

test('a mark that names a process of someone else neither hinders the start nor harms that process', async () => {
  using folder = prepared()
  await (await start(folder.path)).close()
  writeFileSync(
    join(folder.cluster, 'postmaster.pid'),
    `${process.pid}\n${folder.cluster}\n1\n5432\n\n\n\nready\n`,
  )
  await using server = await start(folder.path)
  assert.ok(await answers(server.url))
})

test('a start that was cut short while making the database is made good by the next', async () => {
  using folder = temporary()
  mkdirSync(`${folder.cluster}.new-1`, { recursive: true })
  writeFileSync(join(`${folder.cluster}.new-1`, 'PG_VERSION'), '18\n')
  await using server = await start(folder.path)
  assert.ok(await answers(server.url))
  assert.equal(existsSync(`${folder.cluster}.new-1`), false)
})

test('a data folder with a path too long for a socket works', async () => {
  using folder = prepared()
  const long = join(folder.path, 'd'.repeat(100), 'e'.repeat(100))
  mkdirSync(long, { recursive: true })
  renameSync(join(folder.path, 'database'), join(long, 'database'))
  const server = await start(long)
  assert.ok(await answers(server.url))
  const far = readFileSync(join(long, 'database', 'socket-folder'), 'utf8')
  assert.ok(existsSync(far))
  await server.close()
  assert.equal(existsSync(far), false)
})

test('a data folder with a strange name works', async () => {
  using folder = temporary()
  await using server = await start(join(folder.path, `it's "my", =data= é $HOME 100%`))
  assert.ok(await answers(server.url))
})

test('files that are no database are not touched', async () => {
  using folder = temporary()
  mkdirSync(folder.cluster, { recursive: true })
  writeFileSync(join(folder.cluster, 'precious'), 'x')
  await assert.rejects(start(folder.path), /holds files but no database/)
  assert.equal(readFileSync(join(folder.cluster, 'precious'), 'utf8'), 'x')
})

test('without binaries the error says to set DATABASE_URL', () => {
  using folder = temporary()
  assert.throws(() => findBinaries(folder.path, { platform: 'plan9', arch: 'mips' }), {
    code: 'no_binaries',
    message: /plan9 mips.*Set DATABASE_URL/s,
  })
})

test('a server that cannot start says why', async () => {
  using folder = prepared()
  await assert.rejects(start(folder.path, { settings: { shared_buffers: 'plenty' } }), {
    code: 'server_failed',
    message: /shared_buffers/,
  })
  await using server = await start(folder.path)
  assert.ok(await answers(server.url))
})

test('root may run the server as nobody where namespaces are refused, and change its mind', {
  skip: !isRoot ? 'only root can change accounts' : unreachable(),
}, async () => {
  using folder = prepared()
  chmodSync(folder.path, 0o711)
  for (const options of [{ account: nobodysAccount }, {}, { account: nobodysAccount }]) {
    await using server = await start(folder.path, options)
    assert.ok(await answers(server.url))
  }
})

test('an ordinary user can open, is refused what belongs to another, with a clear error', {
  skip: !isRoot ? 'runs as an ordinary user anyway' : unreachable(),
}, async () => {
  using folder = temporary()
  chownSync(folder.path, 65_534, 65_534)
  await using writer = startWriting({ dataDir: folder.path, rows: 20, under: asNobody })
  assert.deepEqual(await writer.opened, [])
  await writer.ended
  assert.equal(writer.wrote.size, 20)

  using roots = temporary()
  chmodSync(roots.path, 0o755)
  mkdirSync(join(roots.path, 'database'))
  await using refused = startWriting({ dataDir: roots.path, rows: 1, under: asNobody })
  await assert.rejects(refused.opened, /belongs to the user number 0/)
  await refused.ended
})
