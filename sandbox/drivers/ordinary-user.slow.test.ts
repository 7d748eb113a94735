import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('..', import.meta.url))
const ordinaryUser = '64123'
const suites = [
  'drivers/bubblewrap.test.ts',
  'drivers/process.test.ts',
  'drivers/hostile-agents.test.ts',
  'drivers/exhausting-agents.slow.test.ts',
  'verifier/scorer.test.ts',
  'verifier/hostile-scorers.test.ts',
  'gateway/clients.test.ts',
  'gateway/gateway.test.ts',
  'gateway/held-bytes.test.ts',
  'gateway/browser.slow.test.ts',
  'stage/system-view.test.ts',
  'stage/hidden-folders.test.ts',
  'runtime/containers.slow.test.ts',
]

/** The other suites run as the current user; where that is root, this shows that an ordinary user is as safe. */
for (const suite of suites) {
  test(`${suite} passes for an ordinary user too`, (t) => {
    if (process.getuid?.() !== 0) return t.skip('already an ordinary user')
    const as = ['--reuid', ordinaryUser, '--regid', ordinaryUser, '--clear-groups', '--']
    const readable = spawnSync('setpriv', [
      ...as,
      'test',
      '-r',
      join(here, suite),
      '-a',
      '-x',
      process.execPath,
    ])
    if (readable.status !== 0) return t.skip('an ordinary user cannot read this checkout')
    const home = mkdtempSync(join(tmpdir(), 'ordinary-'))
    const system = mkdtempSync('/usr/local/share/ordinary-')
    for (const folder of [home, system]) chownSync(folder, Number(ordinaryUser), Number(ordinaryUser))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const result = spawnSync('setpriv', [...as, process.execPath, '--test', join(here, suite)], {
      env: { ...env, HOME: home, TMPDIR: home, WRITABLE_SYSTEM_FOLDER: system },
      encoding: 'utf8',
      timeout: 1_200_000,
      cwd: here,
    })
    for (const folder of [home, system]) rmSync(folder, { recursive: true, force: true })
    assert.equal(result.status, 0, result.stdout.slice(-6_000))
  })
}
