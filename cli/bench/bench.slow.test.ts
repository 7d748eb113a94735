import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clustered, intervalText } from '@diorama/sdk/core/benchmark-report'
import { createClient } from '@diorama/sdk/index.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { agentDiff, readTasks, scorerCode } from './agent-diff.ts'
import { failedAssertions } from './assertions.ts'
import { extractScore } from './crmarena.ts'
import { writeBenchmark } from './testing-benchmark.ts'

let service: TestService
let folder: string
before(async () => {
  service = await testService()
  folder = await mkdtemp(join(tmpdir(), 'diorama-bench-'))
  await writeBenchmark(folder)
})
after(async () => {
  await rm(folder, { recursive: true })
  await service[Symbol.asyncDispose]()
})

describe('an imported benchmark', () => {
  it('has worlds, tasks and scorers; doing nothing fails, doing it passes, and defects are named', async () => {
    const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key, timeoutMs: 60_000 })
    const made = await agentDiff.import(client, folder, { split: 'train', note: () => {} })
    assert.deepEqual(
      made.tasks.map(({ key, defects }) => [key, ...defects]),
      [['ember_1'], ['ember_2', 'loose'], ['ember_3', 'unsolvable']],
    )
    const proof = await client.suites.check(made.suiteId)
    assert.deepEqual(
      proof.tasks.map(({ doNothingFails }) => doNothingFails),
      [true, true, true],
    )
    const task = await client.tasks.get(made.suiteId, made.tasks[0]?.id ?? '')
    const world = await client.worlds.launch({ datasetVersionId: task.environmentVersionId })
    const [twin] = world.twins
    const posted = await fetch(`${twin?.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${twin?.token}` },
      body: new URLSearchParams({ channel: 'C_FORGE', text: 'The kiln is hot' }),
    })
    assert.equal(((await posted.json()) as { ok: boolean }).ok, true)
    const [first] = await readTasks(folder, 'train')
    assert.ok(first)
    const code = scorerCode(first)
    const tried = await client.scorers.test({
      kind: 'code',
      language: 'typescript',
      code,
      worldId: world.world.id,
    })
    assert.deepEqual([tried.score, tried.reason, tried.error], [1, '1/1 assertions', null])
  })
})

describe('assertions of a benchmark', () => {
  const changed = (fields: object, more: object = {}) =>
    failedAssertions(
      { assertions: [{ diff_type: 'changed', entity: 'issues', where: { id: 'a' }, ...more }] },
      {
        issues: {
          added: [],
          removed: [],
          changed: [
            { before: { id: 'a', title: 'x', note: 1 }, after: { id: 'a', title: 'x', note: 1, ...fields } },
          ],
        },
      },
    ).length === 0
  it('hold strictly to what they list, unless they say otherwise', () => {
    const wants = { expected_changes: { title: { to: { contains: 'y' } } } }
    assert.equal(changed({ title: 'yes' }, wants), true)
    assert.equal(changed({ title: 'no' }, wants), false)
    assert.equal(changed({ title: 'yes', note: 2 }, wants), false)
    assert.equal(changed({ title: 'yes', note: 2 }, { ...wants, ignore: ['note'] }), true)
    assert.equal(changed({ title: 'yes', note: 2 }, { ...wants, strict: false }), true)
    assert.equal(changed({}, { expected_count: 0 }), false)
  })
})

describe('a report', () => {
  it('gives ratios with intervals that are clustered by task', () => {
    const items = ['a', 'a', 'b', 'c'].map((task, n) => ({ task, n }))
    const { value, low, high } = clustered(
      items,
      ({ n }) => Number(n < 2),
      () => 1,
    )
    assert.equal(value, 0.5)
    assert.ok(low < 0.2 && high > 0.8)
    assert.equal(intervalText({ value: 0.5, low: 0.25, high: 0.75 }), '50.0 [25.0, 75.0]')
  })

  it('finds ids, names and the absence of an answer by their types', () => {
    assert.equal(extractScore('It is 001ON00000Kb2cBYAR.', ['001ON00000Kb2cBYAR']), 1)
    assert.equal(extractScore('Either 001ON00000Kb2cBYAR or 001ON00000Kb2cBYAS', ['001ON00000Kb2cBYAR']), 0)
    assert.equal(
      extractScore('I looked at 001ON00000Kb2cBYAS.\n001ON00000Kb2cBYAR', ['001ON00000Kb2cBYAR']),
      1,
    )
    assert.equal(extractScore('The best month is **May**', ['May']), 1)
    assert.equal(extractScore('None', ['None']), 1)
    assert.equal(extractScore('', ['May']), 0)
  })
})
