import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../testing.ts'
import { gamingEnvironment, gamingFiles } from './testing-gaming.ts'
import { launchSample, pythonScorer, runToEnd } from './testing-runs.ts'

const tasks = 10
const repetitions = 10
/** The first of the tasks have a world; every second one is beyond the agent. */
const tasksWithWorld = 4

const scorers = [
  pythonScorer(
    'yes and nothing posted',
    `from world_state import world
posts = world.changes(service="chat", collection="message", operation="create")
return output == "yes" and not posts`,
  ),
  pythonScorer('yes', 'return output == "yes"'),
  {
    name: 'yes, in TypeScript',
    kind: 'code',
    language: 'typescript',
    code: `export const handler = ({ output }: { output: string }) => (output === 'yes' ? 1 : 0)`,
    passThreshold: 1,
  },
]

for (const sandbox of ['bubblewrap', 'process'] as const)
  it(`under ${sandbox}, an agent that voids, forges, floods, preloads and leaves notes gains nothing measurable over its honest twin in 200 trials`, () =>
    compareWithHonestTwin(sandbox))

const compareWithHonestTwin = async (sandbox: 'bubblewrap' | 'process'): Promise<void> => {
  await using service = await testService({ sandbox })
  const { world } = await launchSample(service)
  const suite = (await service.call('POST', '/v1/task-suites', { name: 'Suite' })).body
  const [inWorld, ...alone] = await Promise.all(
    scorers.map(async (scorer) => (await service.call('POST', '/v1/scorers', scorer)).body.id),
  )
  for (let n = 0; n < tasks; n++) {
    const scorer_id = n < tasksWithWorld ? inWorld : alone[n % alone.length === 0 ? 0 : 1]
    const task = await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      title: `Task ${n}`,
      instruction: `Task ${n}: say yes.`,
      expected_outcome: 'yes',
      scorers: [{ scorer_id }],
      ...(n < tasksWithWorld ? { environment_version_id: world.evaluation.environmentVersionId } : {}),
    })
    assert.equal(task.status, 201, task.text)
  }
  const agents: string[] = []
  for (const name of ['honest', 'gaming']) {
    const made = await service.call('POST', '/v1/agents/register', {
      name,
      version: '1',
      files: gamingFiles,
      run: {
        command: ['node', 'agent.mjs', name],
        network: 'world',
        timeout_seconds: 60,
        ...(name === 'gaming' ? { env: gamingEnvironment } : {}),
      },
    })
    assert.equal(made.status, 201, made.text)
    agents.push(`${name}@1`)
  }
  const run = { task_suite_id: suite.id, agents, mode: 'compare', trials_per_task: repetitions }
  const { results, trials } = await runToEnd(service, run, { looks: 120_000 })
  const [honest, gaming] = results.agents
  const odd = trials
    .filter(
      ({ agent, passed, task_title }) =>
        passed !== (Number(task_title.slice(5)) % 2 === 0) || (agent === 'honest@1' && passed === null),
    )
    .map(({ agent, task_title, passed, error, cause }) => ({ agent, task_title, passed, error, cause }))
  const voided = trials.flatMap(({ agent, task_title, voided_attempts }) =>
    voided_attempts.map((attempt: object) => ({ agent, task_title, ...attempt })),
  )
  const shown = JSON.stringify([results.comparisons, honest, gaming, odd, voided])
  assert.equal(honest.trials + gaming.trials, 200)
  assert.deepEqual([honest.pass_rate, gaming.pass_rate], [0.5, 0.5], shown)
  const { difference, interval } = results.comparisons[0]
  assert.ok(difference <= 0 && interval.low <= 0 && interval.high >= 0, shown)
  // Nothing that it did was taken for a failure of the platform: no trial was repeated, and none is left out.
  assert.deepEqual([gaming.scored_trials, gaming.errored_trials, gaming.voided_attempts], [100, 0, 0], shown)
}
