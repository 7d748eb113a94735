import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const demo = fileURLToPath(new URL('../scripts/demo.mjs', import.meta.url))

describe('the demo', () => {
  const run = (...words: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'diorama-demo-'))
    try {
      const { DIORAMA_BASE_URL: _, DIORAMA_API_KEY: __, ...env } = process.env
      const ran = spawnSync(process.execPath, [demo, '--once', ...words], {
        encoding: 'utf8',
        timeout: 300_000,
        env: { ...env, PORT: '0', DIORAMA_DATA_DIR: folder },
      })
      assert.equal(ran.status, 0, ran.stderr)
      assert.match(ran.stderr, /results: http:\/\/\S+\/evaluations\/job_/)
      return ran.stdout
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it('starts the service, compares two agents on the sample company, says where to look and stops', () => {
    const shown = run()
    assert.match(shown, /Escalate the Calder Valley case\s+✘ fail\s+✔ pass/)
    assert.match(shown, /3 wins, 0 losses, 1 ties/)
  })

  it('shows with --moving that an agent which waits for people passes where a careless one fails', () => {
    const shown = run('--moving')
    assert.match(shown, /Get the discount approved\s+✘ fail\s+✔ pass/)
    assert.match(shown, /Keep the appointment as the tenant wants it\s+✘ fail\s+✔ pass/)
    assert.equal([...shown.matchAll(/3 wins, 0 losses, 0 ties/g)].length, 2, shown)
  })
})
