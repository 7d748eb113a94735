import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { takeFolder } from './owner.ts'
import { startOf } from './processes.ts'

const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), 'diorama-owner-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const take = (folder: string) => takeFolder({ folder, random: randomBytes })

test('a folder has one owner until it is released', async () => {
  using folder = temporary()
  const first = await take(folder.path)
  await assert.rejects(take(folder.path), { code: 'folder_in_use' })
  first.release()
  const second = await take(folder.path)
  // A former owner cannot release it for the current one.
  first.release()
  await assert.rejects(take(folder.path), { code: 'folder_in_use' })
  second.release()
  assert.deepEqual(readdirSync(folder.path), [])
})

test('the claim of a dead process, of an earlier life of its pid, or cut short counts for nothing', async () => {
  const child = spawn('true')
  await once(child, 'close')
  const claims = [
    JSON.stringify({ pid: child.pid, start: 'then', claim: 'x' }),
    JSON.stringify({ pid: process.pid, start: 'before the machine started', claim: 'x' }),
    '{"pid": 1',
    '',
  ]
  for (const claim of claims) {
    using folder = temporary()
    writeFileSync(join(folder.path, 'owner.json'), claim)
    const ownership = await take(folder.path)
    ownership.release()
  }
})

test('of several that find the same stale claim, one becomes the owner', async () => {
  using folder = temporary()
  writeFileSync(
    join(folder.path, 'owner.json'),
    JSON.stringify({ pid: process.pid, start: 'then', claim: 'x' }),
  )
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => take(folder.path)))
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
})

test('a dead process that was not asked after has no start any more', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  // The shell's child ends after the shell has been replaced, and the program that replaces the shell never asks after it.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 30'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(parent.stdout.setEncoding('utf8'), 'data')
  await eventually(() => startOf(Number(line)) === undefined)
  assert.doesNotThrow(() => process.kill(Number(line), 0))
  assert.equal(startOf(Number(line)), undefined)
  parent.kill()
  await once(parent, 'close')
})
