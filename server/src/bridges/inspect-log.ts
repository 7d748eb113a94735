import type { AgentResult, Job, TrialDetail, TrialStep } from '@diorama/contract'

export interface InspectSource {
  readonly job: Job
  readonly agent: AgentResult
  /** The agent's trials, in the order of the run. */
  readonly trials: readonly TrialDetail[]
}

/** The trials of one agent as an Inspect log, version 2: a sample for each trial, an epoch for each repetition. */
export const inspectLogOf = ({ job, agent, trials }: InspectSource) => ({
  version: 2,
  status: statuses[job.status],
  eval: {
    created: job.created_at,
    eval_id: job.id,
    run_id: job.id,
    task: job.name,
    task_id: job.task_suite_id,
    task_version: job.task_suite_version_id,
    dataset: {
      name: job.name,
      samples: new Set(trials.map(({ task_id }) => task_id)).size,
      sample_ids: [...new Set(trials.map(({ task_id }) => task_id))],
      shuffled: false,
    },
    model: agent.agent,
    config: { epochs: job.trials_per_task },
    metadata: { diorama: { agent: agent.agent, isolation: job.isolation, gate: agent.gate } },
  },
  plan: { name: 'agent', steps: [{ solver: 'agent', params: { agent: agent.agent } }], config: {} },
  results: {
    total_samples: trials.length,
    completed_samples: trials.filter(({ finished_at }) => finished_at !== null).length,
    scores: scorersOf(trials).map((name) => ({
      name,
      scorer: name,
      params: {},
      ...scoredCounts(trials, name),
      metrics: { mean: { name: 'mean', value: meanOf(trials, name), params: {} } },
    })),
  },
  stats: {
    started_at: job.started_at ?? job.created_at,
    completed_at: job.finished_at ?? '',
    model_usage: {},
  },
  ...(job.error === null ? {} : { error: errorOf(job.error) }),
  samples: trials.map(sampleOf),
})

const statuses: Readonly<Record<Job['status'], string>> = {
  queued: 'started',
  running: 'started',
  succeeded: 'success',
  failed: 'error',
  cancelled: 'cancelled',
}

/** The verdict of the trial as a whole, beside the scorers' own. */
const verdict = 'passed'
const scorersOf = (trials: readonly TrialDetail[]): string[] => [
  verdict,
  ...new Set(trials.flatMap(({ scores }) => scores.map(({ name }) => name))),
]

const scoreValue = (trial: TrialDetail, name: string): number | null => {
  if (name === verdict) return trial.passed === null ? null : Number(trial.passed)
  return trial.scores.find((score) => score.name === name)?.score ?? null
}

const scoreValues = (trials: readonly TrialDetail[], name: string): number[] =>
  trials.flatMap((trial) => scoreValue(trial, name) ?? [])

const scoredCounts = (trials: readonly TrialDetail[], name: string) => {
  const scored = scoreValues(trials, name).length
  return { scored_samples: scored, unscored_samples: trials.length - scored }
}

const meanOf = (trials: readonly TrialDetail[], name: string): number => {
  const values = scoreValues(trials, name)
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

const errorOf = (message: string) => ({ message, traceback: message, traceback_ansi: message })

const sampleOf = (trial: TrialDetail) => {
  const messages = messagesOf(trial)
  return {
    id: trial.task_id,
    epoch: trial.repetition,
    uuid: trial.id,
    input: trial.instruction,
    target: trial.expected_outcome,
    messages,
    output: {
      model: trial.agent,
      choices: [
        {
          message: { role: 'assistant', content: trial.output ?? '', source: 'generate' },
          stop_reason: 'stop',
        },
      ],
      completion: trial.output ?? '',
    },
    scores: scoresOf(trial),
    metadata: {
      title: trial.task_title,
      status: trial.status,
      cause: trial.cause,
      attempt: trial.attempt,
      trace_id: trial.trace_id,
    },
    store: {},
    events: trial.steps.filter(({ kind }) => kind === 'tool_call').map(toolEvent),
    model_usage: usageOf(trial),
    ...(trial.started_at === null ? {} : { started_at: trial.started_at }),
    ...(trial.finished_at === null ? {} : { completed_at: trial.finished_at }),
    ...(trial.duration_ms === null ? {} : { total_time: trial.duration_ms / 1_000 }),
    ...(trial.error === null ? {} : { error: errorOf(trial.error) }),
    attachments: {},
  }
}

const usageOf = ({ agent, usage }: TrialDetail) =>
  usage === null || usage.model_calls === 0
    ? {}
    : {
        [agent]: {
          input_tokens: usage.input_tokens,
          output_tokens: usage.output_tokens,
          total_tokens: usage.input_tokens + usage.output_tokens,
          ...(usage.cost_usd === null ? {} : { total_cost: usage.cost_usd }),
        },
      }

/** Scorers that gave no score are left out, as the counts of unscored samples say. */
const scoresOf = (trial: TrialDetail) =>
  Object.fromEntries(
    scorersOf([trial]).flatMap((name) => {
      const value = scoreValue(trial, name)
      const own = trial.scores.find((score) => score.name === name)
      return value === null
        ? []
        : [
            [
              name,
              {
                value,
                ...(trial.output === null ? {} : { answer: trial.output }),
                ...(own?.reason ? { explanation: own.reason } : {}),
                metadata: { passed: own ? own.passed : trial.passed },
              },
            ],
          ]
    }),
  )

/** Instruction, then each request as a call with its result, then the answer. */
const messagesOf = (trial: TrialDetail) => [
  { role: 'user', content: trial.instruction, source: 'input' },
  ...trial.steps
    .filter(({ kind }) => kind === 'tool_call')
    .flatMap((step, n) => [
      {
        role: 'assistant',
        content: '',
        source: 'generate',
        tool_calls: [{ id: callId(n), function: step.name, arguments: argumentsOf(step), type: 'function' }],
      },
      {
        role: 'tool',
        content: resultOf(step),
        tool_call_id: callId(n),
        function: step.name,
        ...(step.status === 'succeeded' ? {} : { error: { type: 'unknown', message: resultOf(step) } }),
      },
    ]),
  ...(trial.output === null ? [] : [{ role: 'assistant', content: trial.output, source: 'generate' }]),
]

const callId = (n: number) => `call_${n + 1}`
const argumentsOf = ({ detail = {} }: TrialStep) => ({
  service: detail.service,
  method: detail.method,
  host: detail.host,
  path: detail.path,
})
const resultOf = ({ status, detail = {} }: TrialStep): string =>
  detail.status === undefined ? status : `${status} (HTTP ${detail.status})`

const toolEvent = (step: TrialStep, n: number) => ({
  event: 'tool',
  id: callId(n),
  type: 'function',
  function: step.name,
  arguments: argumentsOf(step),
  result: resultOf(step),
  timestamp: step.started_at,
  working_start: 0,
  working_time: step.duration_ms / 1_000,
  events: [],
  metadata: { request_id: step.detail?.request_id, mutations: step.detail?.mutations },
})
