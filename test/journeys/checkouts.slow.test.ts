import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../eventually.ts'
import { root } from '../sources.ts'

const run = promisify(execFile)
const timeout = 600_000
const maxLooks = 20_000
const nobody = 65_534
const isRoot = process.getuid?.() === 0

let place = ''
let checkout = ''
let home = ''

/** A copy of this checkout as it is installed, with its packages as hard links. */
const makeCheckout = async (): Promise<void> => {
  place = mkdtempSync(join(tmpdir(), 'diorama checkout '))
  chmodSync(place, 0o755)
  checkout = join(place, 'of an ordinary name')
  home = join(place, 'home')
  await run('git', ['clone', '--quiet', root, checkout])
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const folder of ['', ...workspaces]) {
    const installed = join(root, folder, 'node_modules')
    if (!existsSync(installed)) continue
    const to = join(checkout, folder, 'node_modules')
    await run('cp', ['-al', installed, to]).catch(() => run('cp', ['-a', installed, to]))
  }
  cpSync(join(root, 'console', 'dist'), join(checkout, 'console', 'dist'), { recursive: true })
  mkdirSync(home)
  if (isRoot) chownSync(home, nobody, nobody)
}

/** As a user to whom the checkout is read-only: nobody where the test runs as root. */
const asReader = (words: readonly string[]): { program: string; args: string[] } => {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const variables = [
    `PATH=${path}`,
    `HOME=${home}`,
    'PORT=0',
    'DIORAMA_EMBEDDINGS=off',
    'DIORAMA_LOG=warnings',
  ]
  const environment = ['env', '-i', ...variables, `DIORAMA_DATA_DIR=${join(home, 'data')}`]
  const user = ['setpriv', '--reuid', String(nobody), '--regid', String(nobody), '--clear-groups']
  const [program = '', ...args] = [...(isRoot ? user : []), ...environment, ...words]
  return { program, args }
}

before(makeCheckout, { timeout })
after(() => rmSync(place, { recursive: true, force: true }))

describe('a checkout in the temporary folder, with spaces in its path, read-only for who runs it', () => {
  it('starts, passes a gate and is left as it was', { timeout }, async (context) => {
    if (!isRoot) return context.skip('only root can make a checkout of another user')
    const start = asReader(['npm', 'start'])
    const service = spawn(start.program, start.args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [service.stdout, service.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    const ended = once(service, 'close')
    try {
      const ready = await eventually(
        () => /ready at (\S+)/.exec(printed)?.[1] ?? (service.exitCode === null ? false : ''),
        'the service did not start',
        maxLooks,
      )
      const baseUrl = ready || assert.fail(`it ended: ${printed}`)
      const gate = ['gate', 'examples/agents/careful', '--run', 'node agent.mjs', '--sample']
      const cli = asReader(['npm', 'run', '--silent', 'cli', '--', '--url', baseUrl, ...gate])
      const { stdout } = await run(cli.program, cli.args, { cwd: checkout })
      assert.match(stdout, /All 4 tasks passed/)
    } finally {
      service.kill('SIGTERM')
      await ended
    }
    assert.doesNotMatch(printed, /EACCES|EROFS|denied/)
    const { stdout: changed } = await run('git', ['-C', checkout, 'status', '--porcelain'])
    assert.equal(changed, '')
  })
})
