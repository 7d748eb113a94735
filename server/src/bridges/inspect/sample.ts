import { createHash } from 'node:crypto'
import type { ModelCallMessage, TrialDetail, TrialStep } from '@diorama/contract'
import {
  argumentsOf,
  requestResult,
  systemPromptOf,
  type Transcript,
  type TranscriptCall,
  type Turn,
} from '../transcript.ts'
import { errorOf, scoresOf } from './scores.ts'

/** A trial in a variant is a separate sample beside the plain one. */
export const sampleId = ({ task_id, variant }: TrialDetail): string =>
  variant === null ? task_id : `${task_id}-${variant}`

/** A trial as a sample of an Inspect log. */
export const sampleOf = (transcript: Transcript) => {
  const { trial } = transcript
  const attachments = openAttachments()
  return {
    id: sampleId(trial),
    epoch: trial.repetition,
    uuid: trial.id,
    input: trial.instruction,
    target: trial.expected_outcome,
    messages: messagesOf(transcript),
    output: {
      model: trial.agent,
      choices: [{ message: said(trial.output ?? ''), stop_reason: 'stop' }],
      completion: trial.output ?? '',
    },
    scores: scoresOf(trial),
    metadata: {
      title: trial.task_title,
      status: trial.status,
      cause: trial.cause,
      attempt: trial.attempt,
      variant: trial.variant,
      trace_id: trial.trace_id,
    },
    store: {},
    events: eventsOf(transcript, attachments),
    model_usage: usageOf(transcript),
    ...(trial.started_at === null ? {} : { started_at: trial.started_at }),
    ...(trial.finished_at === null ? {} : { completed_at: trial.finished_at }),
    ...(trial.duration_ms === null ? {} : { total_time: trial.duration_ms / 1_000 }),
    ...(trial.error === null ? {} : { error: errorOf(trial.error) }),
    attachments: attachments.all,
  }
}

interface Attachments {
  readonly all: Record<string, string>
  readonly text: (content: string) => string
}

/** A prompt repeats the ones before it. Long texts are held once and referred to, so that a log stays linear in size. */
const openAttachments = (): Attachments => {
  const all: Record<string, string> = {}
  return {
    all,
    text: (content) => {
      if (content.length <= 100) return content
      const id = createHash('sha256').update(content).digest('hex').slice(0, 32)
      all[id] = content
      return `attachment://${id}`
    },
  }
}

const said = (content: string) => ({ role: 'assistant', content, source: 'generate' })

const usageOf = ({ trial, turns }: Transcript) => {
  if (turns.length === 0) return tokensOf(trial)
  const byModel = Object.groupBy(turns, ({ call }) => nameOf(call))
  return Object.fromEntries(
    Object.entries(byModel).map(([model, of = []]) => [model, summed(of.map(({ call }) => call))]),
  )
}

const nameOf = ({ provider, model }: TranscriptCall) => `${provider}/${model ?? 'unknown'}`

const summed = (calls: readonly TranscriptCall[]) => {
  const sum = (field: 'input_tokens' | 'output_tokens' | 'cached_input_tokens') =>
    calls.reduce((total, call) => total + call[field], 0)
  const costs = calls.flatMap(({ cost_usd }) => cost_usd ?? [])
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('input_tokens') + sum('output_tokens'),
    input_tokens_cache_read: sum('cached_input_tokens'),
    ...(costs.length === 0 ? {} : { total_cost: costs.reduce((total, cost) => total + cost, 0) }),
  }
}

/** An agent that reports its own usage, without a model call that was seen. */
const tokensOf = ({ agent, usage }: TrialDetail) =>
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

const requestId = (step: TrialStep) =>
  typeof step.detail?.request_id === 'string' ? step.detail.request_id : `at ${step.started_at} ${step.name}`

const requestArguments = ({ detail = {} }: TrialStep) => ({
  service: detail.service,
  method: detail.method,
  host: detail.host,
  path: detail.path,
})

const requestCall = (step: TrialStep) => ({
  id: requestId(step),
  function: step.name,
  arguments: requestArguments(step),
  type: 'function',
})

const requestMessage = (step: TrialStep) => ({
  role: 'tool',
  content: requestResult(step),
  tool_call_id: requestId(step),
  function: step.name,
  ...(step.status === 'succeeded' ? {} : { error: { type: 'unknown', message: requestResult(step) } }),
})

const toolCall = ({ id, name, input }: { id: string; name: string; input: unknown }) => ({
  id,
  function: name,
  arguments: argumentsOf(input),
  type: 'function',
})

/** Instruction; what the model said, what its tools gave back and the requests behind them; the answer. */
const messagesOf = (transcript: Transcript) => {
  const { trial, before, turns } = transcript
  const prompt = systemPromptOf(transcript)
  const last = turns.at(-1)
  const repeats =
    last && last.requests.length === 0 && last.call.reply.text.trim() === (trial.output ?? '').trim()
  return [
    ...(prompt === undefined ? [] : [{ role: 'system', content: prompt }]),
    { role: 'user', content: trial.instruction, source: 'input' },
    ...before.flatMap((step) => [{ ...said(''), tool_calls: [requestCall(step)] }, requestMessage(step)]),
    ...turns.flatMap((turn) => turnMessages(turn, transcript)),
    ...(trial.output === null || repeats ? [] : [said(trial.output)]),
  ]
}

const turnMessages = ({ call, requests }: Turn, { toolResults }: Transcript) => {
  const calls = [...call.reply.tool_calls.map(toolCall), ...requests.map(requestCall)]
  return [
    {
      ...said(call.reply.text),
      ...(call.model === null ? {} : { model: call.model }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    ...call.reply.tool_calls.flatMap(({ id, name }) => {
      const content = toolResults.get(id)
      return content === undefined ? [] : [{ role: 'tool', content, tool_call_id: id, function: name }]
    }),
    ...requests.map(requestMessage),
  ]
}

const eventsOf = ({ trial, before, turns }: Transcript, attachments: Attachments) => {
  const began = Date.parse(trial.started_at ?? trial.steps[0]?.started_at ?? '') || 0
  const timed = (at: string) => ({
    timestamp: at,
    working_start: Math.max(0, (Date.parse(at) - began) / 1_000),
  })
  const ended = trial.finished_at ?? trial.started_at
  return [
    ...before.flatMap((step) => requestEvents(step, timed)),
    ...turns.flatMap(({ call, requests }) => [
      modelEvent(call, timed, attachments),
      ...requests.flatMap((step) => requestEvents(step, timed)),
    ]),
    ...(ended === null
      ? []
      : Object.entries(scoresOf(trial)).map(([scorer, score]) => ({
          event: 'score',
          scorer,
          score,
          target: trial.expected_outcome,
          intermediate: false,
          ...timed(ended),
        }))),
  ]
}

type Timed = (at: string) => { readonly timestamp: string; readonly working_start: number }

/** A request as a tool's event; what it changed in the world follows as a separate event. */
const requestEvents = (step: TrialStep, timed: Timed) => {
  const changes = step.detail?.mutations
  return [
    {
      event: 'tool',
      ...requestCall(step),
      result: requestResult(step),
      ...timed(step.started_at),
      working_time: step.duration_ms / 1_000,
      events: [],
      metadata: { request_id: step.detail?.request_id, twin_id: step.detail?.twin_id },
    },
    ...(Array.isArray(changes) && changes.length > 0
      ? [{ event: 'info', source: 'diorama', data: { changes }, ...timed(step.started_at) }]
      : []),
  ]
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'stop',
  end_turn: 'stop',
  completed: 'stop',
  STOP: 'stop',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  MAX_TOKENS: 'max_tokens',
  incomplete: 'max_tokens',
  content_filter: 'content_filter',
}

const modelEvent = (call: TranscriptCall, timed: Timed, attachments: Attachments) => {
  const { reply } = call
  const message = {
    ...said(attachments.text(reply.text)),
    ...(reply.tool_calls.length === 0 ? {} : { tool_calls: reply.tool_calls.map(toolCall) }),
  }
  return {
    event: 'model',
    model: nameOf(call),
    input: call.messages.map((one) => inputMessage(one, attachments)),
    tools: [],
    tool_choice: 'auto',
    config: {},
    output: {
      model: call.model ?? 'unknown',
      choices: [{ message, stop_reason: stopReasons[reply.finish ?? ''] ?? 'unknown' }],
      completion: message.content,
      usage: summed([call]),
      time: call.latency_ms / 1_000,
      ...(call.error === null ? {} : { error: call.error }),
    },
    ...(call.error === null ? {} : { error: call.error }),
    ...timed(call.started_at),
    working_time: call.latency_ms / 1_000,
    metadata: { model_call_id: call.id, served: call.served, operation: call.operation },
  }
}

const inputMessage = (message: ModelCallMessage, attachments: Attachments) => ({
  role: message.role,
  content: attachments.text(message.text),
  ...(message.tool_calls === undefined || message.role !== 'assistant'
    ? {}
    : { tool_calls: message.tool_calls.map(toolCall) }),
  ...(message.role === 'tool' && message.tool_call_id !== undefined
    ? { tool_call_id: message.tool_call_id }
    : {}),
})
