// `npm run test:postgres`: runs the suites that depend on storage against Debian's PostgreSQL instead of the embedded
// server. The cluster is made for this run in its own folder, is reached by a socket alone, and goes with it.
import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { environment, fail, findNode, install, root, say } from './setup.mjs'

const oldest = 15
const debianFolder = '/usr/lib/postgresql'
const files = globSync(
  [
    'server/src/storage/**/*.test.ts',
    'server/src/auth/**/*.test.ts',
    'server/src/twins/nodes.test.ts',
    'server/src/telemetry/search/near-index.test.ts',
  ],
  { cwd: root },
).filter((file) => !/\/(embedded|owner)[^/]*$|\.slow\.test\.ts$/.test(file))

/** Where the newest installed server's programs are. */
const findPrograms = () => {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : []
  const [newest] = versions
    .filter((version) => Number(version) >= oldest && isProgram(join(debianFolder, version, 'bin', 'initdb')))
    .sort((a, b) => Number(b) - Number(a))
  if (newest !== undefined) return join(debianFolder, newest, 'bin')
  return (process.env.PATH ?? '')
    .split(delimiter)
    .find((folder) => isProgram(join(folder, 'initdb')) && isProgram(join(folder, 'postgres')))
}

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const isRoot = process.getuid?.() === 0

/** Ends the run without failing it: what is not there cannot be tested here. */
const skip = (reason) => {
  say(`the suites were not run against Debian's PostgreSQL: ${reason}`)
  process.exit(0)
}

const apt = (...args) =>
  spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 600_000,
  }).status === 0

const installPrograms = () => {
  const there = findPrograms()
  if (there) return there
  if (process.platform !== 'linux') skip('that needs Debian.')
  if (!isRoot) skip('it is not installed, and only root may install it (the package is postgresql).')
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0)
    skip('it is not installed, and there is no apt-get here (the package is postgresql).')
  say("installing Debian's package postgresql (once)")
  const done = apt('install', '-y', 'postgresql') || (apt('update') && apt('install', '-y', 'postgresql'))
  const found = done ? findPrograms() : undefined
  return found ?? skip('apt-get could not install the package postgresql; the reason stands above.')
}

/** pgvector beside the server, where the distribution has it; the tests say which of the two ways they went. */
const installVector = (programs) => {
  const version = /\/postgresql\/(\d+)\//.exec(programs)?.[1]
  if (version === undefined || existsSync(`/usr/share/postgresql/${version}/extension/vector.control`)) return
  const name = `postgresql-${version}-pgvector`
  const known = spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0
  if (!isRoot || !known || !apt('install', '-y', name)) say(`there is no package ${name} here: search scans`)
}

/** PostgreSQL refuses to run as root: its own account runs it then. */
const account = () => {
  if (!isRoot) return {}
  const number = (flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout?.trim() || 'NaN')
  const [uid, gid] = [number('-u'), number('-g')]
  if (Number.isNaN(uid) || Number.isNaN(gid)) skip('there is no account postgres to run the server as.')
  return { uid, gid }
}

const makeCluster = (programs, folder, as) => {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (as.uid !== undefined) for (const path of [folder, data]) chownSync(path, as.uid, as.gid)
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'diorama', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, cwd: folder, encoding: 'utf8' },
  )
  if (made.status !== 0) fail(`initdb did not succeed:\n${made.stderr}`)
  return data
}

const startServer = (programs, folder, data, as) => {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '300',
    log_min_messages: 'fatal',
    fsync: 'off',
    full_page_writes: 'off',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(join(programs, 'postgres'), ['-D', data, ...args], {
    ...as,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

const isReady = (programs, folder) =>
  spawnSync(join(programs, 'pg_isready'), ['-h', folder, '-U', 'diorama', '-d', 'postgres', '-t', '2'], {
    stdio: 'ignore',
  }).status === 0

const waitUntilReady = async (programs, folder, server) => {
  for (let turn = 0; turn < 300 && server.exitCode === null; turn++) {
    if (isReady(programs, folder)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the server did not start; the reason stands above')
}

const ended = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', (code) => resolve(code))
  })

install('all')
const programs = installPrograms()
installVector(programs)
const as = account()
const folder = mkdtempSync(join(tmpdir(), 'diorama-postgres-'))
const node = findNode()
let server
let tests
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => tests?.kill(signal))
try {
  const data = makeCluster(programs, folder, as)
  server = startServer(programs, folder, data, as)
  await waitUntilReady(programs, folder, server)
  const version = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim()
  say(
    `running ${files.length} test files against ${version}, as ${isRoot ? 'postgres' : userInfo().username}`,
  )
  const url = `postgresql://diorama@localhost/postgres?host=${encodeURIComponent(folder)}`
  tests = spawn(node, ['--test', '--test-concurrency=2', '--test-timeout=600000', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...environment(node), TEST_DATABASE_URL: url },
  })
  process.exitCode = (await ended(tests)) ?? 1
} finally {
  if (server) {
    server.kill('SIGINT')
    await ended(server)
  }
  rmSync(folder, { recursive: true, force: true })
}
