import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type TestService, testService } from '../server/src/testing.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

interface Ran {
  readonly code: number
  readonly said: string
}

const run = (program: string, args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<Ran>((resolve) => {
    const child = execFile(
      program,
      args,
      {
        cwd: here,
        env: {
          PATH: process.env.PATH,
          PYTHONDONTWRITEBYTECODE: '1',
          DIORAMA_BASE_URL: service.baseUrl,
          DIORAMA_API_KEY: service.key,
          ...env,
        },
        timeout: 120_000,
      },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, said: stdout + stderr }),
    )
  })

describe('the examples', () => {
  for (const name of ['quick-start.ts', 'otlp.ts', 'trace-to-task.ts', 'official-clients/evaluate.ts'])
    it(`${name} runs and finds what it expects`, async () => {
      const { code, said } = await run(process.execPath, [name])
      assert.equal(code, 0, said)
    })

  it('model-agent.ts says in words that it is skipped where there is no key', async () => {
    const { code, said } = await run(process.execPath, ['model-agent.ts'])
    assert.deepEqual([code, /Skipped: set OPENAI_API_KEY/.test(said)], [0, true], said)
  })

  it('python/quick_start.py runs and finds what it expects', async () => {
    const { code, said } = await run('python3', ['python/quick_start.py'])
    assert.equal(code, 0, said)
  })
})

describe('the gate for CI', () => {
  const gate = (agent: string, version: string, more: readonly string[] = []) =>
    run('python3', [
      'ci/gate.py',
      '../server/src/worlds/sample-company.json',
      `agents/${agent}`,
      '--name',
      `gated-${agent}`,
      '--version',
      version,
      '--run',
      'node agent.mjs',
      ...more,
    ])

  it('ends with 0 for an agent that passes and leaves JUnit behind, and with 1 for one that does not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-gate-'))
    try {
      const junit = join(folder, 'results.xml')
      const passed = await gate('careful', '1', ['--junit', junit])
      assert.equal(passed.code, 0, passed.said)
      assert.match(await readFile(junit, 'utf8'), /<testsuite name="gated-careful@1" tests="4" failures="0"/)
      const failed = await gate('careless', '1')
      assert.equal(failed.code, 1, failed.said)
      assert.match(failed.said, /0 of 1 trials passed/)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('ends with 3 when the service refuses', async () => {
    const refused = await run(
      'python3',
      [
        'ci/gate.py',
        '../server/src/worlds/sample-company.json',
        'agents/careful',
        '--name',
        'x',
        '--version',
        '1',
        '--run',
        'true',
      ],
      { DIORAMA_API_KEY: `dk_${'x'.repeat(40)}` },
    )
    assert.equal(refused.code, 3, refused.said)
  })
})
