import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testService } from '../../server/src/testing.ts'
import { eventually } from '../../test/eventually.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const maxLooks = 20_000
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'diorama-interrupt-'))
  mkdirSync(join(folder, 'agent'))
  writeFileSync(join(folder, 'agent', 'note.txt'), 'waits')
  writeFileSync(
    join(folder, 'diorama.yaml'),
    'world: {sample: true}\nagents: [{folder: agent, run: sleep 300}]\nconcurrency: 1\n',
  )
})
after(() => rmSync(folder, { recursive: true, force: true }))

const diorama = (env: Record<string, string>): { child: ChildProcess; printed: () => string } => {
  const child = spawn(process.execPath, ['--no-warnings', main, 'run'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, DIORAMA_EMBEDDINGS: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  return { child, printed: () => text }
}

describe('diorama run', () => {
  it('that is interrupted cancels the evaluation that it started, and ends quietly with 130', async () => {
    await using service = await testService()
    const { child, printed } = diorama({
      DIORAMA_BASE_URL: service.baseUrl,
      DIORAMA_API_KEY: service.key,
    })
    const closed = once(child, 'close')
    const jobs = async () => (await service.call('GET', '/v1/backtests/jobs')).body.items
    await eventually(async () => (await jobs())[0]?.status === 'running', 'no trial started', maxLooks)
    child.kill('SIGINT')
    assert.deepEqual(await closed, [130, null], printed())
    assert.doesNotMatch(printed(), /error|at file:/i)
    const [job] = await jobs()
    assert.equal(job.status, 'cancelled')
    const { items } = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials`)).body
    const statuses: string[] = items.map(({ status }: { status: string }) => status)
    assert.equal(statuses.filter((status) => status === 'cancelled').length, 3, statuses.join(' '))
  })

  it('stops the service that it started, even if it is killed', async () => {
    const dataDir = join(folder, 'data')
    const owner = join(dataDir, 'database', 'owner.json')
    const { child, printed } = diorama({ PORT: '0', DIORAMA_DATA_DIR: dataDir })
    const closed = once(child, 'close')
    await eventually(
      () => /registered agent@/.test(printed()) || child.exitCode !== null,
      'it did not start',
      maxLooks,
    )
    assert.ok(existsSync(owner), printed())
    child.kill('SIGKILL')
    await closed
    await eventually(() => !existsSync(owner), 'the service goes on', maxLooks)
  })
})
