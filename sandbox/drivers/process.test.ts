import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { openSandbox } from '../open.ts'
import type { Sandbox, SandboxLog } from '../sandbox.ts'
import { describeSandbox, jobOf, limitsOf, survivors } from '../testing/conformance.ts'

const said: string[] = []

const open = async (): Promise<Sandbox> => {
  const searchPath = process.env.PATH ?? ''
  const log: SandboxLog = (fields, message) => said.push(`${fields.event} ${message}`)
  const opened = await openSandbox({ choice: 'process', stateDir: tmpdir(), searchPath, log })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  return opened.sandbox
}

describeSandbox({ name: 'process', open })

test('the weaker driver names itself and warns', async () => {
  await using sandbox = await open()
  assert.equal(sandbox.isolation, 'process')
  assert.match(said.join('\n'), /sandbox\.opened jobs are not isolated/)
})

test('without python3 the error gives the reason and the remedy', async () => {
  const opened = await openSandbox({ choice: 'process', stateDir: tmpdir(), searchPath: '/nowhere' })
  assert.ok('unavailable' in opened)
  assert.match(opened.unavailable, /cannot be run here: the program python3.*apt-get install python3/)
})

test('the end of a job that ran out of time does not reach the next one with its user', async () => {
  await using sandbox = await open()
  const slow = await sandbox.run(jobOf('sleep 60', { limits: limitsOf({ wallMs: 300 }) }))
  assert.equal(slow.ended, 'timeout')
  const next = await sandbox.run(jobOf('sleep 6; echo alive'))
  assert.equal(next.stdout.text, 'alive\n')
})

test('a job that kills its launcher, where the kernel lets it, is a job that was killed', async () => {
  await using sandbox = await open()
  const seconds = `60.${process.pid}`
  const running = sandbox.run(jobOf(['sleep', seconds]))
  const command = await eventually(
    () => survivors(`sleep ${seconds}`).find((line) => /\d+\s+\S+\s+sleep /.test(line)) ?? false,
    'the command did not start',
  )
  const status = readFileSync(`/proc/${Number.parseInt(command, 10)}/status`, 'utf8')
  // Here its rights forbid it, so that it is done for it.
  process.kill(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), 'SIGKILL')
  const { ended, signal } = await running
  assert.deepEqual([ended, signal], ['killed', 'SIGKILL'])
})
