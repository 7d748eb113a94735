import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createClient, type WorldBlueprintInput } from '../../sdk/index.ts'
import { testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { root } from '../sources.ts'

interface Mutation {
  readonly collection: string
  readonly operation: string
  readonly after: Readonly<Record<string, unknown>> | null
}

/** Fields of a change that differ between two copies of one world: they hold times, or are made from them. */
const ofTheMoment =
  /^(id|ts|thread_ts|client_msg_id|blocks|updated|.*At|.*Date|.*DateTime|SystemModstamp|LastModified.*|LastChange.*|value|name|latest_reply|key|order)$/

const lasting = ({ collection, operation, after }: Mutation) => ({
  collection,
  operation,
  fields: Object.fromEntries(Object.entries(after ?? {}).filter(([name]) => !ofTheMoment.test(name))),
})

const filesOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(root, 'examples/agents', name)).map((file) => [
      file,
      readFileSync(join(root, 'examples/agents', name, file), 'utf8'),
    ]),
  )

it('an agent that knows only the Model Context Protocol passes the sample suite, with the changes of the native one', async () => {
  await using service = await testService()
  const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
  const world = await client.worlds.launchAndWait({
    blueprint: sampleCompany as WorldBlueprintInput,
    ttlHours: 1,
  })
  for (const name of ['careful', 'mcp-only'])
    await client.agents.register({
      name,
      version: '1',
      files: filesOf(name),
      run: { command: ['node', 'agent.mjs'], timeoutSeconds: 60 },
    })
  const { job: run, results } = await client.evaluations.runAndWait({
    taskSuiteId: world.evaluation?.taskSuiteId ?? '',
    agents: ['careful@1', 'mcp-only@1'],
    mode: 'compare',
  })
  const { items } = await client.evaluations.listTrials(run.id, { limit: 100 })
  const trials = await Promise.all(items.map(({ id }) => client.evaluations.getTrial(run.id, id)))
  const failed = trials
    .filter(({ passed }) => !passed)
    .map(({ agent, error, scores }) => ({ agent, error, scores }))
  assert.deepEqual(failed, [])
  assert.deepEqual(
    results.agents.map(({ passedTrials, trials: all }) => [passedTrials, all]),
    [
      [4, 4],
      [4, 4],
    ],
  )
  const changesOf = (agent: string, task: string) =>
    trials
      .filter((trial) => trial.agent === agent && trial.taskId === task)
      .flatMap(({ steps }) => steps)
      .flatMap(({ detail }) => (detail as { mutations?: readonly Mutation[] }).mutations ?? [])
      .map(lasting)
  for (const task of new Set(trials.map(({ taskId }) => taskId))) {
    const native = changesOf('careful@1', task)
    assert.ok(native.length > 0)
    assert.deepEqual(changesOf('mcp-only@1', task), native)
  }
})
