import { setTimeout } from 'node:timers/promises'
import { middle, report } from '../parts/load.ts'
import type { RunningService } from '../parts/running-service.ts'

// `sleep 300 && date` as the agent of a trial, by a shell, Node and Python, each alone. What counts is the agent's own
// step: from its start in the sandbox to its end, with the start of its interpreter and without the rest of the trial.
// The same program without the sleep shows what of it is the start.

interface Program {
  readonly name: string
  readonly slept: readonly string[]
  readonly bare: readonly string[]
}

const seconds = 300
const rounds = 5
const pollMs = 100

const writes =
  "() => require('fs').writeFileSync(process.env.WORK_DIR + '/output.txt', String((Date.now() - s) / 1000))"
const written = "open(os.environ['WORK_DIR'] + '/output.txt', 'w').write(str(time.time() - s))"

const programs: readonly Program[] = [
  {
    name: 'bash',
    slept: [
      'bash',
      '-c',
      `s=$(date +%s); sleep ${seconds} && echo $(($(date +%s) - s)) > $WORK_DIR/output.txt`,
    ],
    bare: ['bash', '-c', 's=$(date +%s); echo $(($(date +%s) - s)) > $WORK_DIR/output.txt'],
  },
  {
    name: 'Node',
    slept: ['node', '-e', `const s = Date.now(); setTimeout(${writes}, ${seconds * 1_000})`],
    bare: ['node', '-e', `const s = Date.now(); setTimeout(${writes}, 0)`],
  },
  {
    name: 'Python',
    slept: ['python3', '-c', `import os, time; s = time.time(); time.sleep(${seconds}); ${written}`],
    bare: ['python3', '-c', `import os, time; s = time.time(); ${written}`],
  },
]

/** Prints how long each program's sleep of five minutes takes. */
export const measureSleeping = async (service: RunningService, blueprint: unknown): Promise<void> => {
  const { call } = service
  const world = await call('POST', '/v1/builder/worlds', { blueprint })
  const suite = await call('POST', '/v1/task-suites', { name: 'Sleep' })
  const scorer = await call('POST', '/v1/scorers', {
    name: 'Slept',
    kind: 'code',
    language: 'python',
    code: `def handler(input, output, expected, metadata):\n    return 1 if abs(float(output) - ${seconds}) < 2 else 0\n`,
    passThreshold: 1,
  })
  await call('POST', `/v1/task-suites/${suite.id}/tasks`, {
    title: 'Sleep',
    instruction: 'Sleep.',
    expected_outcome: 'Five minutes have passed.',
    environment_version_id: world.evaluation.environmentVersionId,
    scorers: [{ scorer_id: scorer.id }],
  })
  /** The agent's step of one trial, and whether it saw five minutes pass. */
  const once = async (name: string): Promise<{ ms: number; hasSlept: boolean }> => {
    const job = await call('POST', '/v1/backtests/jobs', { task_suite_id: suite.id, agents: [name] })
    while ((await call('GET', `/v1/backtests/jobs/${job.id}`)).finished_at === null) await setTimeout(pollMs)
    const { items } = await call('GET', `/v1/backtests/jobs/${job.id}/trials`)
    const trial = await call('GET', `/v1/backtests/jobs/${job.id}/trials/${items[0].id}`)
    const step = trial.steps.find(({ kind }: { kind: string }) => kind === 'agent')
    return { ms: step.duration_ms, hasSlept: trial.passed === true }
  }
  for (const { name, slept, bare } of programs) {
    const agents = { slept: `${name}-slept`, bare: `${name}-bare` }
    for (const [agent, command] of [
      [agents.slept, slept],
      [agents.bare, bare],
    ] as const)
      await call('POST', '/v1/agents/register', {
        name: agent,
        version: '1',
        files: {},
        run: { command, network: 'world', timeout_seconds: 60 },
      })
    const took = { slept: [] as number[], bare: [] as number[] }
    let haveSlept = true
    for (let round = 0; round < rounds; round++) {
      took.bare.push((await once(`${agents.bare}@1`)).ms)
      const { ms, hasSlept } = await once(`${agents.slept}@1`)
      took.slept.push(ms)
      haveSlept &&= hasSlept
    }
    const ms = middle(took.slept)
    report(
      `sleep ${seconds} in a trial, by ${name}`,
      `${Math.round(ms)} ms`,
      'under 1 s, and five minutes later',
      ms < 1_000 && haveSlept,
    )
    console.log(
      `     of ${took.slept.map(Math.round).join(', ')} ms; without the sleep ${Math.round(middle(took.bare))} ms`,
    )
  }
}
