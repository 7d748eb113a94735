// Runs on whatever Node the machine has (20 or newer) before anything is installed: no dependency, no TypeScript.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const marker = join(root, 'node_modules', '.diorama-install.json')

export const say = (text) => process.stderr.write(`diorama: ${text}\n`)

export const fail = (text) => {
  say(text)
  process.exit(1)
}

/**
 * The machine's own npm on the machine's own Node. Run by the Node that comes with our packages it would not find the
 * machine's settings, such as its certificates.
 */
const npm = () => {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  return script && node && !node.startsWith(root) ? [node, script] : ['npm']
}

const machinePath = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(join(root, 'node_modules')))
    .join(delimiter)

/** Installs what is missing: `product` is what the service needs, `all` adds what the tests need. */
export const install = (scope) => {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const done = existsSync(marker) ? JSON.parse(readFileSync(marker, 'utf8')) : {}
  if (done.lock === lock && (done.scope === 'all' || done.scope === scope)) return
  const wanted = done.scope === 'all' ? 'all' : scope
  say(
    `installing ${wanted === 'all' ? 'the packages for the service and its tests' : 'the packages of the service'} (once; this can take a minute)`,
  )
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (wanted !== 'all') args.push('--omit=dev')
  const [command, ...before] = npm()
  const ran = spawnSync(command, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: machinePath() },
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (ran.signal !== null) process.exit(130)
  if (ran.status !== 0) fail('`npm ci` failed; its own message is above.')
  writeFileSync(marker, JSON.stringify({ lock, scope: wanted }))
}

/** The Node 24 that came with the packages, or the machine's own where it is new enough. */
export const findNode = () => {
  const bundled = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(bundled)) return bundled
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  fail(
    `Node 24 is needed. There is no package of it for ${process.platform}-${process.arch}: install Node 24 and run this again.`,
  )
}

/** The environment in which the project's own commands run: Node 24 first, compiled code kept between starts. */
export const environment = (node) => ({
  ...process.env,
  PATH: `${dirname(node)}:${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
  NODE_COMPILE_CACHE:
    process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'diorama-compile'),
  NODE_NO_WARNINGS: '1',
})

/** Runs a command of the project and ends with its status if it fails. */
export const run = (command, args, options = {}) => {
  const ran = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (ran.status !== 0) process.exit(ran.status ?? 130)
}
