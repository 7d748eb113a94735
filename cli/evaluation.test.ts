import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testService } from '../server/src/testing.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const cache = fileURLToPath(new URL('../node_modules/.cache/diorama-compile', import.meta.url))
const agents = fileURLToPath(new URL('../examples/agents/', import.meta.url))

describe('an evaluation from the command line', () => {
  it('goes from a company and two folders to a table, a gate with its exit status, JUnit and annotations', async () => {
    await using service = await testService()
    const folder = mkdtempSync(join(tmpdir(), 'diorama-cli-'))
    const diorama = (...words: string[]): Promise<{ status: number; out: string; err: string }> =>
      new Promise((resolve) => {
        const env = {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: cache,
          DIORAMA_BASE_URL: service.baseUrl,
          DIORAMA_API_KEY: service.key,
          GITHUB_ACTIONS: 'true',
          GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
        }
        execFile(process.execPath, [main, ...words], { cwd: folder, env }, (error, out, err) =>
          resolve({ status: error ? Number(error.code) : 0, out, err }),
        )
      })
    const json = async (...words: string[]) => {
      const { status, out, err } = await diorama(...words, '--json')
      assert.equal(status, 0, err)
      return JSON.parse(out)
    }
    try {
      const [world, careful, careless] = await Promise.all([
        json('world', 'launch', '--sample'),
        json('agent', 'register', join(agents, 'careful'), '--run', 'node agent.mjs', '--agent-version', '1'),
        json('agent', 'register', join(agents, 'careless'), '--run', 'node agent.mjs', '--bundle'),
      ])
      const run = await diorama(
        ...['eval', 'run', '--world', world.world.id, '--mode', 'compare', '--gate', '--junit', 'out/r.xml'],
        ...['-a', careful.reference, '-a', careless.reference],
      )
      assert.equal(run.status, 1, run.err)
      assert.match(run.err, /8\/8 trials/)
      assert.match(run.err, /^::error title=.*Escalate/m)
      assert.match(run.out, new RegExp(`TASK\\s+careful@1\\s+${careless.reference}`))
      assert.match(run.out, /Escalate the Calder Valley case\s+✔ pass\s+✘ fail/)
      assert.match(run.out, /0 wins, 3 losses, 1 ties/)
      assert.match(
        readFileSync(join(folder, 'out', 'r.xml'), 'utf8'),
        /<testsuite name="careful@1" tests="4"/,
      )
      assert.match(readFileSync(join(folder, 'summary.md'), 'utf8'), /✘ fail/)
      const [job] = await json('eval', 'list')
      const [gate, wrong, shown] = await Promise.all([
        diorama('eval', 'gate', job.id, '--gate-agent', 'careful@1'),
        diorama('eval', 'gate', job.id, '--gate-agent', 'nobody@1'),
        diorama('eval', 'show', job.id),
      ])
      assert.equal(gate.status, 0, gate.err)
      assert.match(gate.out, /All 4 tasks passed/)
      assert.equal(wrong.status, 2)
      assert.match(shown.out, /WHY NOT/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
