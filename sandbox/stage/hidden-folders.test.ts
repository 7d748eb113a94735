import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openSandbox } from '../open.ts'
import { jobOf } from '../testing/conformance.ts'
import { findInterpreters } from './interpreters.ts'

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

for (const choice of ['bubblewrap', 'process'] as const) {
  test(`a Python in a home that only we may enter works for a job at its own path (${choice})`, async () => {
    const home = mkdtempSync('/var/tmp/private-home-') // a sandbox has its own /tmp
    chmodSync(home, 0o700)
    const path = process.env.PATH ?? ''
    const own = join(home, 'python')
    const base = (await findInterpreters(path)).python?.executable ?? ''
    mkdirSync(join(own, 'bin'), { recursive: true })
    symlinkSync(base, join(own, 'bin', 'python3'))
    writeFileSync(join(own, 'pyvenv.cfg'), `home = ${dirname(base)}\n`)
    writeFileSync(join(home, 'secret'), 'private')
    const searchPath = `${join(own, 'bin')}:${path}`
    const opened = await openSandbox({ choice, stateDir: join(home, 'state'), searchPath })
    if ('unavailable' in opened) throw new Error(opened.unavailable)
    {
      await using sandbox = opened.sandbox
      const program = `python3 -c 'import ssl, sys; print(sys.prefix)'; cat ${home}/secret; touch ${own}/x || echo end`
      const outcome = await sandbox.run(jobOf(program))
      const expected = process.getuid?.() === 0 ? `${own}\nend\n` : undefined
      if (expected) assert.equal(outcome.stdout.text, expected, outcome.stderr.text)
      else assert.match(outcome.stdout.text, new RegExp(`^${own}\n`))
    }
    rmSync(home, { recursive: true })
  })
}
