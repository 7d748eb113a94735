import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { jobOf } from './conformance.ts'
import { openSandbox } from './sandbox.ts'

test('a folder that only we may enter is shown to a job read-only, and its neighbours are not', async () => {
  const home = mkdtempSync(join(tmpdir(), 'private-home-'))
  chmodSync(home, 0o700)
  const shown = mkdtempSync(join(home, 'shown-'))
  writeFileSync(join(shown, 'tool'), 'useful', { mode: 0o644 })
  chmodSync(shown, 0o755)
  writeFileSync(join(home, 'secret'), 'private')
  const opened = await openSandbox({
    choice: 'bubblewrap',
    stateDir: join(home, 'state'),
    searchPath: process.env.PATH ?? '',
  })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  {
    await using sandbox = opened.sandbox
    const script = `cat /tools/tool; echo x > /tools/tool; cat ${home}/secret; ls ${home}; echo end`
    const outcome = await sandbox.run(jobOf(script, { readOnly: { '/tools': shown } }))
    assert.equal(outcome.stdout.text, 'usefulend\n')
    await assert.rejects(
      sandbox.run(jobOf('true', { readOnly: { '/x': join(home, 'absent') } })),
      /which is not there/,
    )
  }
  rmSync(home, { recursive: true })
})
