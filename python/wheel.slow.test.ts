import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type TestService, testService } from '../server/src/testing.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))
const root = join(folder, '..')
const checkers = ['mypy==2.4.1', 'pytest==9.2.0']
const written = ['client', 'calls', 'transport', 'streams', 'errors', 'gate', 'pytest_plugin']
let place = ''
let wheel = ''
let service: TestService
/** Why the wheel could not be built: pip takes setuptools from the package index. */
let missing = ''

before(async () => {
  place = mkdtempSync(join(tmpdir(), 'diorama-wheel-'))
  // A build leaves files beside its sources.
  for (const name of ['diorama', 'pyproject.toml', 'README.md', 'tests'])
    cpSync(join(folder, name), join(place, 'source', name), { recursive: true })
  const built = await run('python3', ['-m', 'venv', join(place, 'clean')])
    .then(() => run(join(place, 'clean/bin/pip'), ['download', '-q', '--no-deps', '-d', place, 'setuptools']))
    .then(() => true)
    .catch((error: Error) => {
      missing = `the Python package index cannot be reached: ${error.message.split('\n')[0]}`
    })
  if (!built) return
  const output = join(place, 'dist')
  await run(join(place, 'clean/bin/pip'), ['wheel', '-q', '--no-deps', '-w', output, join(place, 'source')])
  wheel = join(output, readdirSync(output).find((name) => name.endsWith('.whl')) ?? assert.fail('no wheel'))
  await run(join(place, 'clean/bin/pip'), ['install', '-q', '--no-index', wheel])
  service = await testService()
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  rmSync(place, { recursive: true, force: true })
})

const python = (args: readonly string[], cwd: string) =>
  run(join(place, 'clean/bin/python'), args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      DIORAMA_BASE_URL: service.baseUrl,
      DIORAMA_API_KEY: service.key,
    },
    timeout: 300_000,
  })

describe('the wheel of the Python client', () => {
  it('has all modules, the marker of its types and no tests', async (context) => {
    if (missing) return context.skip(missing)
    const { stdout } = await run('python3', ['-m', 'zipfile', '-l', wheel])
    for (const name of ['py.typed', 'api/worlds.py', 'api/aio/worlds.py', 'aio/wire.py'])
      assert.match(stdout, new RegExp(`diorama/${name}`))
    assert.doesNotMatch(stdout, /tests\//)
  })

  it('runs the examples from an empty environment, and again', async (context) => {
    if (missing) return context.skip(missing)
    // Away from the checkout, where only the installed package can be found.
    const away = join(place, 'a/b/c')
    mkdirSync(away, { recursive: true })
    cpSync(join(root, 'examples/python'), away, { recursive: true })
    for (let n = 0; n < 2; n += 1) {
      assert.match((await python(['quick_start.py'], away)).stdout, /as it was/)
      assert.match((await python(['async_quick_start.py'], away)).stdout, /chat auth\.test 200/)
    }
  })

  it('serves asyncio: pages, streams, uploads, retries and cancelling', async (context) => {
    if (missing) return context.skip(missing)
    const tests = join(place, 'only-tests')
    cpSync(join(folder, 'tests'), join(tests, 'tests'), { recursive: true })
    const { stderr } = await python(
      ['-W', 'error::ResourceWarning', '-m', 'unittest', 'tests.async_client'],
      tests,
    )
    assert.match(stderr, /Ran 1[2-9] tests[\s\S]*\nOK/)
  })

  it('satisfies mypy --strict, itself and in the examples', async (context) => {
    if (missing) return context.skip(missing)
    await run('python3', ['-m', 'venv', join(place, 'checker')])
    await run(join(place, 'checker/bin/pip'), ['install', '-q', ...checkers, wheel])
    const examples = readdirSync(join(root, 'examples/python')).map((name) =>
      join(root, 'examples/python', name),
    )
    const checked = await run(
      join(place, 'checker/bin/mypy'),
      [
        ...['--strict', '--cache-dir', join(place, 'cache'), '-p', 'diorama.api', '-p', 'diorama.aio'],
        ...written.flatMap((name) => ['-m', `diorama.${name}`]),
      ],
      { cwd: place },
    )
    assert.match(checked.stdout, /no issues found/)
    const typed = await run(
      join(place, 'checker/bin/mypy'),
      ['--strict', '--cache-dir', join(place, 'cache'), ...examples.filter((name) => name.endsWith('.py'))],
      { cwd: place },
    )
    assert.match(typed.stdout, /no issues found/)
  })
})
