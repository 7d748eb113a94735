import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testService } from '../server/src/testing.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const cache = fileURLToPath(new URL('../node_modules/.cache/diorama-compile', import.meta.url))
const agents = fileURLToPath(new URL('../examples/agents/', import.meta.url))

/** An agent with dependencies, links among them and a binary file, that ends with its own error. */
const crashingAgent = (folder: string): string => {
  const agent = join(folder, 'crashing')
  mkdirSync(join(agent, 'node_modules', '.bin'), { recursive: true })
  mkdirSync(join(agent, 'node_modules', 'tool'))
  writeFileSync(join(agent, 'node_modules', 'tool', 'index.js'), 'export const status = 7')
  writeFileSync(join(agent, 'node_modules', 'tool', 'large.bin'), Buffer.alloc(2_000_000, 0xff))
  symlinkSync('../tool/index.js', join(agent, 'node_modules', '.bin', 'tool'))
  writeFileSync(
    join(agent, 'agent.mjs'),
    "import { status } from './node_modules/.bin/tool'\nconsole.error(new Error('no key in the vault'))\nprocess.exit(status)\n",
  )
  return agent
}

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
      const summary = readFileSync(join(folder, 'summary.md'), 'utf8')
      assert.match(summary, /^\| careless@\S+ \| fail \|/m)
      assert.match(summary, /\| \[Escalate the Calder Valley case\]\(http:\S+\/trials\/\S+\) \| \S/)
      const listed = await diorama('agent', 'list')
      assert.match(listed.out, /^AGENT\s+PASS RATE\s+SUITE\s+VERSION/m)
      assert.match(listed.out, /^careful\s+100 % \(\d+–100\)\s+Fernwright Instruments.*\s1\s/m)
      assert.match(listed.out, /^careless\s+25 % \(\d+–\d+\)\s+Fernwright Instruments/m)
      const [job] = await json('eval', 'list')
      const { items: trials } = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials?limit=1`))
        .body
      const [gate, wrong, shown, crashed, log, trajectory] = await Promise.all([
        diorama('eval', 'gate', job.id, '--gate-agent', 'careful@current'),
        diorama('eval', 'gate', job.id, '--gate-agent', 'nobody@1'),
        diorama('eval', 'show', job.id),
        diorama(
          ...[
            'gate',
            crashingAgent(folder),
            '--suite',
            world.evaluation.taskSuiteId,
            '--run',
            'node agent.mjs',
          ],
          ...['--baseline', careful.reference, '--task', world.evaluation.tasks[0].taskId],
        ),
        diorama('eval', 'export', job.id, '-f', 'eval', '--agent', 'careful@1', '-o', 'logs/run.eval'),
        diorama('eval', 'export', job.id, '-f', 'trajectory'),
      ])
      assert.equal(gate.status, 0, gate.err)
      assert.match(gate.out, /All 4 tasks passed/)
      assert.equal(wrong.status, 3)
      assert.match(wrong.err, /nobody@1 is not an agent of this evaluation, which has careful@1, careless@/)
      assert.match(shown.out, /WHY NOT/)
      assert.equal(crashed.status, 1, crashed.err)
      assert.match(
        crashed.out,
        /^ {2}crashing@\w+: .* the agent ended early in 1: The agent ended with exit code 7: Error: no key in the vault/m,
      )
      assert.match(crashed.out, /careful@1 is the baseline and is not held to the gate/)
      assert.equal(log.status, 0, log.err)
      assert.equal(readFileSync(join(folder, 'logs', 'run.eval')).toString('latin1', 0, 2), 'PK')
      assert.match(trajectory.err, /Specify the trial/)
      const file = 'checks, all.json'
      writeFileSync(
        join(folder, file),
        JSON.stringify({ suite: world.evaluation.taskSuiteId, agents: [{ reference: careful.reference }] }),
      )
      const ran = await diorama('run', file)
      assert.equal(ran.status, 0, ran.err)
      assert.match(ran.err, /^::notice file=checks%2C all\.json,title=[^,:]+%3A pass::All 4 tasks passed/m)
      const exported = (format: string, ...more: string[]) =>
        diorama('eval', 'export', job.id, '-f', format, ...more)
      const [steps, inspect, csv, lines] = await Promise.all([
        exported('trajectory', '--trial', trials[0].id),
        exported('inspect', '--agent', 'careful@1'),
        exported('csv'),
        exported('jsonl'),
      ])
      assert.equal(JSON.parse(steps.out).trajectory_id, trials[0].id)
      assert.deepEqual([JSON.parse(inspect.out).version, JSON.parse(inspect.out).samples.length], [2, 4])
      assert.match(csv.out, /^trial_id,agent,task_id/)
      assert.equal(lines.out.trim().split('\n').length, 8)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
