import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openTestRegistry } from '../../server/src/agents/dependencies/testing-registry.ts'
import { type TestService, testService } from '../../server/src/testing.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

const diorama = (service: TestService, cwd: string, words: readonly string[]) =>
  new Promise<{ status: number; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, DIORAMA_BASE_URL: service.baseUrl, DIORAMA_API_KEY: service.key }
    execFile(process.execPath, [main, ...words], { cwd, env }, (error, out, err) =>
      resolve({ status: error === null ? 0 : Number(error.code), out, err }),
    )
  })

it('agent register waits for the packages of a lock, and shows the log of a failure', async () => {
  await using standIn = await openTestRegistry()
  await using service = await testService({ packageRegistries: { npm: `${standIn.url}/npm` } })
  const folder = mkdtempSync(join(tmpdir(), 'diorama-cli-'))
  try {
    for (const [name, text] of Object.entries({ ...standIn.npmFiles, 'agent.cjs': "require('greeting')" }))
      writeFileSync(join(folder, name), text)
    // What is installed here is for this machine, and stays here.
    mkdirSync(join(folder, 'node_modules/greeting'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/greeting/index.js'), 'throw new Error("of this machine")')
    const words = ['agent', 'register', folder, '--name', 'bot', '--run', 'node agent.cjs']
    const made = await diorama(service, folder, [...words, '--dependencies', 'npm'])
    assert.equal(made.status, 0, made.err)
    assert.match(made.out, /files +3, inline/)
    assert.match(made.err, /dependencies of bot@1\.0\.0: queued[\s\S]*: ready/)
    const lock = standIn.npmFiles['package-lock.json']?.replace('greeting-1.0.0.tgz', 'greeting-9.tgz')
    writeFileSync(join(folder, 'package-lock.json'), lock ?? '')
    const failed = await diorama(service, folder, [
      ...[...words, '--dependencies', 'npm', '--agent-version', '2'],
    ])
    assert.equal(failed.status, 3, failed.out)
    assert.match(failed.err, /dependencies of bot@2 could not be installed[\s\S]*E404/)
    const unknown = await diorama(service, folder, [...words, '--dependencies', 'conda'])
    assert.match(unknown.err, /--dependencies conda must be one of npm, pip/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
