import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { allRoutes, type RouteSpec } from '@diorama/contract'
import { testService } from '../server/src/testing.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))
const python = (args: readonly string[], env: Record<string, string> = {}) =>
  run('python3', args, {
    cwd: folder,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env },
    timeout: 120_000,
  })

describe('the Python client', () => {
  it('has a method for every route of the contract', async () => {
    const { stdout } = await python(['-m', 'diorama.routes'])
    const found: Record<string, [string, string, string]> = JSON.parse(stdout)
    const wanted = Object.entries<RouteSpec>(allRoutes).map(([name, { method, path }]) => [
      name,
      method,
      path,
    ])
    assert.deepEqual(
      Object.entries(found)
        .map(([name, [method, path]]) => [name, method, path])
        .sort(),
      wanted.sort(),
    )
    assert.equal(new Set(Object.values(found).map(([, , where]) => where)).size, wanted.length)
  })

  it('is made from the contract as it is now', async () => {
    await run(process.execPath, ['generate.ts', '--check'], { cwd: folder })
  })

  it('launches, evaluates, pages and streams against the service, and survives one in trouble', async () => {
    await using service = await testService()
    const { stderr } = await python(
      ['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'],
      {
        DIORAMA_BASE_URL: service.baseUrl,
        DIORAMA_API_KEY: service.key,
      },
    )
    assert.match(stderr, /\nOK/)
    assert.match(stderr, /Ran [12]\d tests/)
  })

  it('gives each test of pytest a fresh world, where pytest is installed', async (context) => {
    const installed = await python(['-c', 'import pytest']).then(
      () => true,
      () => false,
    )
    if (!installed) return context.skip('pytest is not installed')
    await using service = await testService()
    const { stdout } = await python(
      ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests/pytest_world.py'],
      {
        DIORAMA_BASE_URL: service.baseUrl,
        DIORAMA_API_KEY: service.key,
      },
    )
    assert.match(stdout, /2 passed/)
  })
})
