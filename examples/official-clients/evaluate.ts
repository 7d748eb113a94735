// Bundles the agent with the vendors' clients into one file, uploads it, and evaluates it on the two tasks it knows.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { createClient, type WorldBlueprintInput } from '../../sdk/index.ts'
import { openService } from '../service.ts'

const folder = await mkdtemp(join(tmpdir(), 'diorama-bundle-'))
try {
  const input = fileURLToPath(new URL('agent.ts', import.meta.url))
  await using build = await rolldown({ input, platform: 'node', logLevel: 'silent' })
  await build.write({ file: join(folder, 'agent.mjs'), format: 'esm', codeSplitting: false })
  await promisify(execFile)('tar', ['-czf', join(folder, 'agent.tar.gz'), '-C', folder, 'agent.mjs'])

  await using service = await openService()
  const client = createClient(service)
  // A version never changes, so another build is another version.
  const bundle = await readFile(join(folder, 'agent.tar.gz'))
  const version = createHash('sha256').update(bundle).digest('hex').slice(0, 12)
  const agent = { name: 'official-clients', version }
  await client.agents.register({ ...agent, run: { command: ['node', 'agent.mjs'] } })
  await client.agents.uploadBundle(agent.name, agent.version, bundle)

  const blueprint = (await client.worlds.sampleBlueprint()) as WorldBlueprintInput
  const world = await client.worlds.launchAndWait({ blueprint, ttlHours: 1 })
  const tasks = world.evaluation?.tasks ?? []
  const known = tasks.filter(({ key }) => key === 'escalate-calder' || key === 'hand-over-drift')
  const { job, results } = await client.evaluations.runAndWait({
    taskSuiteId: world.evaluation?.taskSuiteId ?? '',
    agents: [`${agent.name}@${agent.version}`],
    tasks: known.map(({ taskId }) => taskId),
  })
  for await (const trial of client.evaluations.listTrials(job.id))
    console.log(`${trial.taskTitle}: ${trial.passed ? 'passed' : `failed ${trial.error ?? ''}`}`)
  assert.equal(known.length, 2)
  assert.equal(results.passRate, 1)
  await client.worlds.stop(world.world.id)
} finally {
  await rm(folder, { recursive: true, force: true })
}
