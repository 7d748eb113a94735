import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { takeFolder } from './owner.ts'
import { waitForServerElsewhere } from './server-elsewhere.ts'

const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), 'diorama-owner-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const take = (folder: string) => takeFolder({ folder, random: randomBytes })

/** A process that takes the folder and keeps it until it is killed; its first line reports how that went. */
const holder = `
import { randomBytes } from 'node:crypto'
import { takeFolder } from ${JSON.stringify(new URL('./owner.ts', import.meta.url).href)}
try {
  takeFolder({ folder: process.argv[1], random: randomBytes })
  console.log('taken')
  process.stdin.resume()
} catch (error) {
  console.log(error.message)
}`
const startHolder = async (folder: string, prefix: readonly string[] = []) => {
  const [program = '', ...words] = [...prefix, process.execPath, '--input-type=module', '-e', holder, folder]
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    pid: child.pid,
    said: String(line).trim(),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
const otherNamespace = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']
const namespaces = spawnSync('unshare', [...otherNamespace.slice(1), 'true']).status === 0

test('a folder has one owner until it is released', () => {
  using folder = temporary()
  const first = take(folder.path)
  assert.throws(() => take(folder.path), { code: 'folder_in_use' })
  first.release()
  const second = take(folder.path)
  // A former owner cannot release it for the current one.
  first.release()
  assert.throws(() => take(folder.path), { code: 'folder_in_use' })
  second.release()
  assert.deepEqual(readdirSync(folder.path), ['owner.lock'])
})

test('a killed process owns nothing, whatever its claim says', async () => {
  using folder = temporary()
  const first = await startHolder(folder.path)
  assert.equal(first.said, 'taken')
  assert.throws(() => take(folder.path), {
    message: new RegExp(`in use by process ${first.pid}\\. Stop`),
  })
  await first.kill()
  take(folder.path).release()
  for (const claim of ['{"pid": 1', '', JSON.stringify({ pid: process.pid, host: hostname(), claim: 'x' })]) {
    writeFileSync(join(folder.path, 'owner.json'), claim)
    take(folder.path).release()
  }
})

test('of several processes that start at once, one becomes the owner', async () => {
  using folder = temporary()
  const started = await Promise.all(Array.from({ length: 4 }, () => startHolder(folder.path)))
  assert.equal(started.filter(({ said }) => said === 'taken').length, 1)
  await Promise.all(started.map((one) => one.kill()))
})

test('a process in another container is refused, and refuses us', {
  skip: !namespaces && 'PID namespaces are not allowed here',
}, async () => {
  using folder = temporary()
  const ours = take(folder.path)
  const refused = await startHolder(folder.path, otherNamespace)
  assert.match(
    refused.said,
    new RegExp(`in use by process ${process.pid} in another container or on another host \\(.+\\)\\. Stop`),
  )
  await refused.kill()
  ours.release()

  const theirs = await startHolder(folder.path, otherNamespace)
  assert.equal(theirs.said, 'taken')
  assert.throws(() => take(folder.path), /in use by process \d+ in another container or on another host/)
  await theirs.kill()
  const again = take(folder.path)
  assert.equal(again.leftElsewhere, true, 'their database server may still be stopping')
  again.release()
  const clean = take(folder.path)
  assert.equal(clean.leftElsewhere, false)
  clean.release()
})

test('a database server that another container left is waited for', async () => {
  using folder = temporary()
  await waitForServerElsewhere(folder.path)
  writeFileSync(join(folder.path, 'socket-folder'), folder.path)
  const server = createServer().listen(join(folder.path, '.s.PGSQL.5432'))
  await once(server, 'listening')
  const seen = once(server, 'connection')
  let over = false
  const waiting = waitForServerElsewhere(folder.path).then(() => {
    over = true
  })
  await seen
  assert.equal(over, false)
  server.close()
  await waiting
})
