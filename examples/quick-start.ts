// From nothing to a finished evaluation: launch a company, let two agents work in copies of it, compare them.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createClient, passGate, type WorldBlueprintInput } from '../sdk/index.ts'
import { openService } from './service.ts'

await using service = await openService()
const client = createClient(service)

const blueprint = (await client.worlds.sampleBlueprint()) as WorldBlueprintInput
const world = await client.worlds.launchAndWait({ blueprint, ttlHours: 1 })
const suiteId = world.evaluation?.taskSuiteId
assert.ok(suiteId, 'a company with tasks has a task suite')
console.log(`${world.world.name}: ${world.twins.map((twin) => twin.service).join(', ')}`)

for (const name of ['careful', 'careless'])
  await client.agents.register({
    name,
    version: '1.0.0',
    files: { 'agent.mjs': await readFile(new URL(`agents/${name}/agent.mjs`, import.meta.url), 'utf8') },
    run: { command: ['node', 'agent.mjs'] },
  })

const { results } = await client.evaluations.runAndWait(
  { taskSuiteId: suiteId, agents: ['careless@1.0.0', 'careful@1.0.0'], mode: 'compare' },
  { onProgress: (run) => console.log(`${run.completedTrials} of ${run.totalTrials} trials`) },
)
for (const { agent, passedTrials, trials } of results.agents)
  console.log(`${agent}: ${passedTrials} of ${trials} tasks passed`)

assert.equal(passGate(results, { agent: 'careful@1.0.0' }), 'pass')
assert.equal(passGate(results, { agent: 'careless@1.0.0' }), 'fail')
// Every trial had its own copy: the company itself is as it was.
assert.deepEqual((await client.worlds.diff(world.world.id)).items, [])
await client.worlds.stop(world.world.id)
