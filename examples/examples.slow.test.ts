import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  const readme = readFileSync(join(here, 'README.md'), 'utf8')
  const printed = [...readme.matchAll(/^\| `npm run example ([\w-]+)` \|/gm)].map(([, name = '']) => name)

  it('are those that the launcher knows', async () => {
    const { code, said } = await run('npm', ['run', '--silent', 'example'])
    assert.equal(code, 1)
    assert.equal(said.trim(), `diorama: name an example: ${printed.join(', ')}`)
  })

  for (const name of printed)
    it(`npm run example ${name} runs as it is printed, twice, and finds what it expects`, async () => {
      for (const _ of ['first', 'again']) {
        const { code, said } = await run('npm', ['run', 'example', name])
        assert.equal(code, 0, said)
        if (name === 'model-agent') assert.match(said, /Skipped: set OPENAI_API_KEY/)
      }
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
