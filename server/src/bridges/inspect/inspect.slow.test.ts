import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { AgentResult, Job, TrialDetail } from '@diorama/contract'
import { type TranscriptCall, transcriptOf } from '../transcript.ts'
import { evalFileOf } from './eval-file.ts'
import { inspectLogOf } from './log.ts'

const run = promisify(execFile)
const at = '2026-03-02T09:00:00.000Z'

const job: Job = {
  id: 'job_1',
  name: 'Support',
  status: 'succeeded',
  mode: 'suite',
  task_suite_id: 'ste_1',
  task_suite_name: null,
  verdict: 'fail',
  results: [],
  history: [],
  cost_usd: null,
  task_suite_version_id: 'stv_1',
  agents: ['writer@1'],
  concurrency: 1,
  variants: [],
  trials_per_task: 1,
  completed_trials: 2,
  total_trials: 2,
  counts: { succeeded: 1, failed: 1 },
  isolation: 'bubblewrap',
  baseline_job_id: null,
  stopped: null,
  models: null,
  scorings: [],
  error: null,
  created_at: at,
  started_at: at,
  finished_at: at,
}

const trial = (id: string, passed: boolean): TrialDetail => ({
  id,
  job_id: job.id,
  agent: 'writer@1',
  task_id: `tsk_${id}`,
  task_title: `Task ${id}`,
  variant: null,
  variant_detail: null,
  repetition: 1,
  status: passed ? 'succeeded' : 'failed',
  attempt: 1,
  passed,
  outcome: passed ? 'passed' : 'crashed',
  error: passed ? null : 'The command ended with the status 1.',
  cause: passed ? null : 'agent',
  voided_attempts: [],
  unasked_changes: null,
  not_emulated: [],
  scores: [
    {
      name: 'Is done',
      scorer_id: 'scr_1',
      score: passed ? 1 : 0,
      threshold: 1,
      passed,
      weight: 'med',
      reason: 'It looked.',
      error: null,
      cause: null,
      duration_ms: 5,
    },
  ],
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    cost_usd: 0.01,
    model_calls: 1,
    cached_input_tokens: 0,
    replayed_calls: 0,
    latency_ms: 0,
  },
  started_at: at,
  finished_at: at,
  duration_ms: 1_500,
  instruction: 'Write to the customer.',
  expected_outcome: 'The customer is answered.',
  output: 'Done.',
  isolation: 'bubblewrap',
  trace_id: null,
  steps: [
    {
      kind: 'tool_call',
      name: 'chat.postMessage',
      status: passed ? 'succeeded' : 'failed',
      started_at: at,
      duration_ms: 12,
      detail: {
        service: 'chat',
        method: 'POST',
        host: 'chat.example',
        path: '/post',
        status: 200,
        mutations: [{ operation: 'create', collection: 'message', id: '1' }],
      },
    },
  ],
  artifacts: [],
  twins: [],
})

const agent = {
  agent: 'writer@1',
  gate: { verdict: 'fail', reasons: ['One task failed.'] },
} as unknown as AgentResult

const calls: readonly TranscriptCall[] = [
  {
    id: 'mcl_1',
    trial_id: '1',
    job_id: job.id,
    attempt: 1,
    source: 'agent',
    provider: 'openai',
    model: 'small',
    operation: 'chat.completions',
    served: 'live',
    streamed: false,
    status: 200,
    outcome: 'succeeded',
    error: null,
    input_tokens: 10,
    output_tokens: 5,
    cached_input_tokens: 2,
    cost_usd: 0.01,
    latency_ms: 40,
    first_byte_ms: 20,
    request_sha256: '00',
    started_at: at,
    messages: [
      { role: 'system', text: 'Careful. '.repeat(30) },
      { role: 'user', text: 'Go.' },
      { role: 'assistant', text: '', tool_calls: [{ id: 'c0', name: 'post', input: { text: 'Hi' } }] },
      { role: 'tool', text: 'posted', tool_call_id: 'c0' },
    ],
    reply: {
      text: 'I post again.',
      tool_calls: [{ id: 'c0', name: 'post', input: { text: 'Hi' } }],
      finish: 'tool_calls',
    },
  },
]

describe('an Inspect log', () => {
  let folder: string
  let python: string
  let unavailable: string | undefined

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-inspect-'))
    python = join(folder, 'venv', 'bin', 'python')
    try {
      await run('python3', ['-m', 'venv', join(folder, 'venv')])
      await run(python, ['-m', 'pip', '-q', 'install', 'inspect_ai'], { timeout: 600_000 })
    } catch (error) {
      unavailable = `inspect_ai could not be installed: ${String(error).slice(0, 200)}`
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const source = {
    job,
    agent,
    transcripts: [transcriptOf(trial('1', true), calls), transcriptOf(trial('2', false), [])],
  }
  const script = `
import json, sys
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
log = read_eval_log(sys.argv[1], resolve_attachments=True)
print(json.dumps({
    "status": log.status,
    "samples": len(log.samples),
    "scores": [sample.scores["Is done"].value for sample in log.samples],
    "roles": [message.role for message in log.samples[0].messages],
    "events": [event.event for event in log.samples[0].events],
    "prompt": log.samples[0].events[0].input[0].text[:7],
    "tokens": log.samples[0].model_usage["openai/small"].total_tokens,
    "changes": log.samples[0].events[2].data["changes"][0]["operation"],
    "mean": log.results.scores[0].metrics["mean"].value,
    "error": log.samples[1].error.message,
    "summaries": [summary.completed for summary in read_eval_log_sample_summaries(sys.argv[1])],
}))`
  for (const [name, content] of [
    ['run.json', JSON.stringify(inspectLogOf(source))],
    ['run.eval', evalFileOf(source)],
  ] as const)
    it(`is read whole by Inspect's own package as ${name}`, async (context) => {
      if (unavailable !== undefined) return context.skip(unavailable)
      const file = join(folder, name)
      writeFileSync(file, content)
      const { stdout } = await run(python, ['-c', script, file])
      assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
        status: 'success',
        samples: 2,
        scores: [1, 0],
        roles: ['system', 'user', 'assistant', 'tool', 'tool', 'assistant'],
        events: ['model', 'tool', 'info', 'score', 'score'],
        prompt: 'Careful',
        tokens: 15,
        changes: 'create',
        mean: 0.5,
        error: 'The command ended with the status 1.',
        summaries: [true, true],
      })
    })
})
