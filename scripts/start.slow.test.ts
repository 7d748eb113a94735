import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '../test/eventually.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const isUp = (baseUrl: string): Promise<boolean> =>
  fetch(`${baseUrl}/healthz`).then(
    (reply) => reply.ok,
    () => false,
  )

describe('npm start', () => {
  for (const [name, command] of [
    ['npm itself', ['npm', 'start']],
    ['the script', [process.execPath, 'scripts/start.mjs']],
  ] as const)
    it(`stops the service and its database when ${name} gets SIGTERM, as containers send it`, async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'diorama-start-'))
      const [program, ...words] = command
      const child = spawn(program, words, {
        cwd: root,
        env: {
          ...process.env,
          PORT: '0',
          DIORAMA_DATA_DIR: dataDir,
          DIORAMA_EMBEDDINGS: 'off',
          DIORAMA_LOG: 'warnings',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      try {
        let said = ''
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (text) => {
            said += text
          })
        const ended = once(child, 'exit')
        await eventually(
          () => /ready at \S+/.test(said) || child.exitCode !== null,
          () => `it did not start: ${said}`,
        )
        const baseUrl = /ready at (\S+)/.exec(said)?.[1] ?? assert.fail(said)
        assert.equal(await isUp(baseUrl), true)
        const database = join(dataDir, 'database')
        assert.equal(existsSync(join(database, 'owner.json')), true)
        child.kill('SIGTERM')
        await ended
        await eventually(
          async () => !(await isUp(baseUrl)),
          () => 'the service answers although npm is gone',
        )
        await eventually(
          () =>
            !existsSync(join(database, 'owner.json')) &&
            !existsSync(join(database, 'cluster', 'postmaster.pid')),
          () => 'the database was left running',
        )
        assert.doesNotMatch(said, /did not stop cleanly/)
      } finally {
        if (child.exitCode === null) child.kill('SIGKILL')
        await rm(dataDir, { recursive: true, force: true })
      }
    })
})
