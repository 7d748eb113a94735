import type { GenAi } from '@diorama/contract'

type Attributes = Readonly<Record<string, unknown>>

/** The names of one fact, today's convention first, then yesterday's, then OpenInference's. */
const names = {
  provider: ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system'],
  model: [
    'gen_ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'embedding.model_name',
    'llm.request.model',
    'model',
  ],
  agentName: ['gen_ai.agent.name', 'agent.name', 'agent_name'],
  agentVersion: ['gen_ai.agent.version', 'agent.version', 'agent_version'],
  conversation: ['gen_ai.conversation.id', 'session.id', 'conversation_id'],
  toolName: ['gen_ai.tool.name', 'tool.name', 'tool_name'],
  toolCallId: ['gen_ai.tool.call.id', 'tool_call.id', 'tool.id'],
  toolArguments: [
    'gen_ai.tool.call.arguments',
    'tool_call.function.arguments',
    'tool.parameters',
    'tool.arguments',
  ],
  toolResult: ['gen_ai.tool.call.result', 'tool.result', 'tool.output'],
  inputTokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'input_tokens',
  ],
  outputTokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'output_tokens',
  ],
  cacheRead: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'llm.token_count.prompt_details.cache_read',
  ],
  cacheCreation: [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'llm.token_count.prompt_details.cache_write',
  ],
  reasoning: ['gen_ai.usage.reasoning.output_tokens', 'llm.token_count.completion_details.reasoning'],
  cost: ['diorama.model_call.cost_usd', 'gen_ai.usage.cost', 'llm.cost.total'],
  input: ['gen_ai.input.messages', 'gen_ai.prompt', 'input.value', 'llm.prompts', 'llm.input_messages'],
  output: ['gen_ai.output.messages', 'gen_ai.completion', 'output.value', 'llm.output_messages'],
} as const

/** OpenInference's kinds of span, as operations. */
const kinds: Readonly<Record<string, string>> = {
  LLM: 'chat',
  TOOL: 'execute_tool',
  AGENT: 'invoke_agent',
  CHAIN: 'invoke_workflow',
  EMBEDDING: 'embeddings',
  RETRIEVER: 'retrieval',
  RERANKER: 'rerank',
  GUARDRAIL: 'guardrail',
  EVALUATOR: 'evaluate',
}

const operationPatterns: readonly (readonly [RegExp, string])[] = [
  [/^(chat|completions?|text_completion|generate_content|llm)$/i, 'chat'],
  [/^(tool|function|tool_call|execute_tool)$/i, 'execute_tool'],
  [/^(agent|invoke_agent)$/i, 'invoke_agent'],
]

/** What a span says about a model, a tool or an agent; undefined where it says nothing of the kind. */
export const readGenAi = (attributes: Attributes, kind: string | null): GenAi | undefined => {
  const text = (list: readonly string[]) => asText(first(attributes, list))
  const count = (list: readonly string[]) => asCount(first(attributes, list))
  const content = (list: readonly string[]) => unfold(first(attributes, list) ?? indexed(attributes, list))
  const view: GenAi = {
    operation: operationOf(attributes, kind),
    provider: text(names.provider),
    model: text(names.model),
    agent_name: text(names.agentName),
    agent_version: text(names.agentVersion),
    conversation_id: text(names.conversation),
    tool_name: text(names.toolName),
    tool_call_id: text(names.toolCallId),
    tool_arguments: content(names.toolArguments),
    tool_result: content(names.toolResult),
    input_tokens: count(names.inputTokens),
    output_tokens: count(names.outputTokens),
    cache_read_tokens: count(names.cacheRead),
    cache_creation_tokens: count(names.cacheCreation),
    reasoning_tokens: count(names.reasoning),
    cost_usd: count(names.cost),
    input: content(names.input),
    output: content(names.output),
  }
  if (view.operation === null && view.tool_name !== null) view.operation = 'execute_tool'
  if (view.operation === null && view.model !== null && (view.input_tokens ?? view.output_tokens) !== null)
    view.operation = 'chat'
  splitAgent(view, attributes)
  return Object.values(view).some((value) => value !== null) ? view : undefined
}

/** A call of a model is counted; an agent's or workflow's own tokens repeat those of the calls inside it. */
export const isSummary = ({ operation }: GenAi): boolean =>
  operation === 'invoke_agent' || operation === 'invoke_workflow' || operation === 'create_agent'

export const isToolCall = ({ operation }: GenAi): boolean => operation === 'execute_tool'

const operationOf = (attributes: Attributes, kind: string | null): string | null => {
  const named = asText(attributes['gen_ai.operation.name'])
  if (named !== null) return named
  const openInference = asText(attributes['openinference.span.kind'])
  if (openInference !== null) return kinds[openInference.toUpperCase()] ?? openInference.toLowerCase()
  const old = asText(attributes['llm.request.type']) ?? asText(attributes['traceloop.span.kind']) ?? kind
  return operationPatterns.find(([pattern]) => old !== null && pattern.test(old))?.[1] ?? null
}

/** `agent: "name@version"` says both at once. */
const splitAgent = (view: GenAi, attributes: Attributes): void => {
  const reference = asText(attributes.agent) ?? (view.agent_name?.includes('@') ? view.agent_name : null)
  if (reference === null || (view.agent_name !== null && view.agent_name !== reference)) return
  const [name = '', version] = reference.split('@')
  if (name === '') return
  view.agent_name = name
  view.agent_version ??= version || null
}

const first = (attributes: Attributes, list: readonly string[]): unknown => {
  for (const name of list) {
    const value = attributes[name]
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

/** OpenInference spells a list as `llm.input_messages.0.message.content`; only what there is is gathered. */
const indexed = (attributes: Attributes, list: readonly string[]): unknown => {
  for (const name of list) {
    const found = Object.entries(attributes).filter(
      ([field]) => field.startsWith(`${name}.`) && /^\d/.test(field.slice(name.length + 1)),
    )
    if (found.length > 0)
      return Object.fromEntries(found.map(([field, value]) => [field.slice(name.length + 1), value]))
  }
  return undefined
}

const asText = (value: unknown): string | null =>
  typeof value === 'string' && value !== ''
    ? value.slice(0, 500)
    : typeof value === 'number'
      ? String(value)
      : null

const asCount = (value: unknown): number | null => {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 && count <= 1e15 ? count : null
}

/** Messages and arguments often travel as JSON inside a text. */
const unfold = (value: unknown): unknown => {
  if (value === undefined) return null
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
