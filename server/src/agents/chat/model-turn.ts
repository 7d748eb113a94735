import type { AgentStep } from '@diorama/contract'
import { z } from 'zod'
import type { Model, ModelMessage, ModelTool, ToolCall, ToolResult } from '../../models/model.ts'
import type { Models } from '../../models/models.ts'
import { type AnswerTurn, clip, recent, type TurnOutcome, type TurnRequest } from './turn.ts'
import type { WorldAccess, WorldService } from './world-access.ts'

const maxRounds = 20
const maxCallsARound = 16
const maxHistoryCharacters = 200_000
const maxResultCharacters = 20_000
const maxDetailCharacters = 2_000

const toolName = 'http_request'
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'MERGE'] as const

const HttpRequest = z.object({
  service: z.string(),
  method: z.enum(methods),
  path: z.string().regex(/^\/[^\s\\]{0,8000}$/, 'must start with / and hold no spaces; write them as %20'),
  headers: z.record(z.string().regex(/^[\w-]{1,100}$/), z.string().max(4_000)).default({}),
  body: z.unknown().optional(),
})

export interface ModelTurnParts {
  readonly models: Models
  readonly worlds: WorldAccess
  readonly now: () => number
}

/** Answers through the version's model with its instructions; in a world, with calls to the twins' own interfaces. */
export const modelTurn = ({ models, worlds, now }: ModelTurnParts): AnswerTurn => {
  return async (request, onStep, signal) => {
    const { content } = request.version
    if (!content.model) throw new Error('a turn without a model was given to the model')
    const model = models.open(content.model)
    const services =
      request.worldId === null ? [] : ((await worlds.services(request.organizationId, request.worldId)) ?? [])
    const talk = { model, request, services, worlds, now, onStep, signal }
    const messages: ModelMessage[] = opening(request)
    const spent = { input_tokens: 0, output_tokens: 0, costUsd: models.costOf(model, noTokens) }
    for (let round = 0; round < maxRounds; round++) {
      const reply = await ask(talk, messages)
      spent.input_tokens += reply.usage.inputTokens
      spent.output_tokens += reply.usage.outputTokens
      if (reply.costUsd !== null) spent.costUsd = (spent.costUsd ?? 0) + reply.costUsd
      if (reply.toolCalls.length === 0) return outcome(spent, reply.text)
      const results: ToolResult[] = []
      for (const [index, call] of reply.toolCalls.entries())
        results.push(index < maxCallsARound ? await useTool(talk, call) : tooMany(call))
      messages.push({ role: 'assistant', reply }, { role: 'tool', results })
    }
    return outcome(spent, '', `The model was not done after ${maxRounds} rounds of tool calls.`)
  }
}

const noTokens = { inputTokens: 0, outputTokens: 0 }

interface Talk {
  readonly model: Model
  readonly request: TurnRequest
  readonly services: readonly WorldService[]
  readonly worlds: WorldAccess
  readonly now: () => number
  readonly onStep: (step: AgentStep) => void
  readonly signal: AbortSignal
}

const opening = ({ history, text }: TurnRequest): ModelMessage[] => [
  ...recent(history, maxHistoryCharacters).flatMap(({ asked, answered }): ModelMessage[] => [
    { role: 'user', text: asked },
    ...(answered ? [{ role: 'assistant' as const, text: answered }] : []),
  ]),
  { role: 'user', text },
]

const outcome = (
  { costUsd, ...usage }: { input_tokens: number; output_tokens: number; costUsd: number | null },
  text: string,
  fault = text === '' ? 'The model gave an empty answer.' : null,
): TurnOutcome => ({
  status: fault === null ? 'succeeded' : 'failed',
  answer: text === '' ? null : text,
  error: fault,
  usage,
  costUsd,
})

const ask = async (
  { model, request, services, now, onStep, signal }: Talk,
  messages: readonly ModelMessage[],
) => {
  const started = now()
  const step = (status: AgentStep['status'], detail: AgentStep['detail']) =>
    onStep({
      kind: 'model',
      name: `${model.provider}/${model.id}`,
      status,
      started_at: new Date(started).toISOString(),
      duration_ms: now() - started,
      detail,
    })
  try {
    const { instructions } = request.version.content
    const reply = await model.generate(
      {
        ...(instructions ? { instructions } : {}),
        messages,
        ...(services.length > 0 ? { tools: [httpTool(services)] } : {}),
      },
      signal,
    )
    step('succeeded', {
      finish: reply.finish,
      input_tokens: reply.usage.inputTokens,
      output_tokens: reply.usage.outputTokens,
    })
    return reply
  } catch (error) {
    step(signal.aborted ? 'cancelled' : 'failed', {
      error: error instanceof Error ? error.message : String(error),
    })
    throw error
  }
}

const httpTool = (services: readonly WorldService[]): ModelTool => ({
  name: toolName,
  description: [
    'Makes an HTTP request to one of the company systems, in its own native interface. The path is the one that the real service has on its own host. You are signed in already; leave credentials out. A body that is an object is sent as JSON. The systems:',
    ...services.map(({ service, describes }) => `- ${service}: ${describes}`),
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      service: { type: 'string', enum: services.map(({ service }) => service) },
      method: { type: 'string', enum: methods },
      path: { type: 'string', description: 'The path and query, starting with /.' },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: { description: 'An object (sent as JSON) or a text (sent as it is).' },
    },
    required: ['service', 'method', 'path'],
  },
})

const tooMany = ({ id, name }: ToolCall): ToolResult => ({
  id,
  name,
  text: `Not done: at most ${maxCallsARound} calls at once. Call again.`,
  failed: true,
})

/** Makes the call. Errors are returned to the model, which can correct itself; only cancelling ends the turn. */
const useTool = async (talk: Talk, call: ToolCall): Promise<ToolResult> => {
  const { services, now, onStep, signal } = talk
  const started = now()
  const parsed = HttpRequest.safeParse(call.input)
  const asked = parsed.success ? parsed.data : undefined
  const fault = faultOf(call, parsed, services)
  const answer = asked && !fault ? await reach(talk, asked) : { status: 0, body: fault ?? '' }
  const failed = answer.status === 0 || answer.status >= 400
  onStep({
    kind: 'tool_call',
    name: asked ? `${asked.service} ${asked.method} ${clip(asked.path, 200)}` : call.name,
    status: signal.aborted ? 'cancelled' : failed ? 'failed' : 'succeeded',
    started_at: new Date(started).toISOString(),
    duration_ms: now() - started,
    detail: {
      tool: call.name,
      service: asked?.service ?? null,
      http_status: answer.status || null,
      request: clip(JSON.stringify(call.input) ?? '', maxDetailCharacters),
      response: clip(answer.body, maxDetailCharacters),
    },
  })
  signal.throwIfAborted()
  const text = answer.status === 0 ? answer.body : `HTTP ${answer.status}\n${answer.body}`
  return { id: call.id, name: call.name, text: clip(text, maxResultCharacters), failed: answer.status === 0 }
}

const faultOf = (
  call: ToolCall,
  parsed: z.ZodSafeParseResult<z.infer<typeof HttpRequest>>,
  services: readonly WorldService[],
): string | undefined => {
  if (call.name !== toolName) return `There is no tool ${clip(call.name, 100)}.`
  if (!parsed.success) return `The input does not fit: ${z.prettifyError(parsed.error)}`
  const known = services.map(({ service }) => service)
  return known.includes(parsed.data.service)
    ? undefined
    : `There is no such service; use ${known.join(', ')}.`
}

const reach = async (
  { worlds, request, signal }: Talk,
  { service, method, path, headers, body }: z.infer<typeof HttpRequest>,
): Promise<{ status: number; body: string }> => {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const type =
    body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }
  const sent = Object.fromEntries(own.filter(([name]) => !unsent.has(name)))
  const withBody = method === 'GET' ? undefined : text
  try {
    return await worlds.call(
      {
        organizationId: request.organizationId,
        worldId: request.worldId ?? '',
        service,
        method,
        path,
        headers: { ...type, ...sent },
        body: withBody,
      },
      signal,
    )
  } catch (error) {
    signal.throwIfAborted()
    return {
      status: 0,
      body: `The request failed: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** Headers that are not the model's to set. */
const unsent = new Set([
  'authorization',
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'cookie',
])
