import type { Usage } from '@diorama/contract'
import {
  type Model,
  ModelFailure,
  type ModelMessage,
  type ModelTool,
  type ToolCall,
} from '../../../models/model.ts'
import { addUsage, noUsage } from '../usage.ts'
import { AttemptVoided } from '../voided.ts'
import type { McpServer, WorldAccess } from '../world-access.ts'
import { AgentFailed } from './agent-run.ts'

const maxResultCharacters = 60_000
const maxTools = 400
const revision = '2026-07-28'

export interface ChatDeps {
  readonly model: Model
  readonly instructions: string
  readonly instruction: string
  readonly maxTurns: number
  readonly world: Pick<WorldAccess, 'mcpServers' | 'post'>
  readonly signal: AbortSignal
}

interface Offered extends ModelTool {
  readonly server: McpServer
  /** What the server calls it. */
  readonly tool: string
}

/** Drives a model with the tools of the world until it calls none; what it writes then is its answer. */
export const runChatAgent = async (deps: ChatDeps): Promise<{ output: string; usage: Usage }> => {
  const { model, instruction, maxTurns, signal } = deps
  const tools = await toolsOf(deps.world)
  const messages: ModelMessage[] = [{ role: 'user', text: instruction }]
  let usage = noUsage
  for (let turn = 0; turn < maxTurns; turn++) {
    const reply = await model
      .generate({ instructions: deps.instructions, messages, tools: tools.map(shownTool) }, signal)
      .catch((error: unknown) => {
        signal.throwIfAborted()
        if (error instanceof ModelFailure)
          throw new AttemptVoided('model_provider', error.message, { cause: error })
        throw error
      })
    usage = addUsage(usage, { model: model.id, ...reply.usage }, reply.costUsd)
    if (reply.toolCalls.length === 0) return { output: reply.text, usage }
    messages.push({ role: 'assistant', reply })
    const results = []
    for (const call of reply.toolCalls) results.push(await resultOf(deps.world, tools, call))
    messages.push({ role: 'tool', results })
  }
  throw new AgentFailed(`The model still called tools after ${maxTurns} turns.`)
}

const shownTool = ({ name, description, inputSchema }: Offered): ModelTool => ({
  name,
  description,
  inputSchema,
})

/** Every tool of every service; a name that two services have is distinguished by the service. */
const toolsOf = async (world: ChatDeps['world']): Promise<readonly Offered[]> => {
  const all: Offered[] = []
  for (const server of world.mcpServers) {
    let cursor: unknown
    do {
      const page = await ask(world, server, 'tools/list', cursor === undefined ? {} : { cursor })
      for (const { name, description = '', inputSchema } of page.tools ?? [])
        all.push({ server, tool: name, name, description, inputSchema })
      cursor = page.nextCursor
    } while (cursor !== undefined && all.length < maxTools)
  }
  const count = (name: string) => all.filter((one) => one.tool === name).length
  return all.map((one) => (count(one.tool) > 1 ? { ...one, name: `${one.server.service}_${one.tool}` } : one))
}

const resultOf = async (
  world: ChatDeps['world'],
  tools: readonly Offered[],
  { id, name, input }: ToolCall,
) => {
  const offered = tools.find((one) => one.name === name)
  if (!offered) return { id, name, text: `There is no tool ${name}.`, failed: true }
  if (input === undefined) return { id, name, text: 'The arguments are not valid JSON.', failed: true }
  try {
    const result = await ask(world, offered.server, 'tools/call', { name: offered.tool, arguments: input })
    const text = (result.content ?? [])
      .map((part: { text?: string; type: string }) => part.text ?? `(${part.type})`)
      .join('\n')
    return { id, name, text: text.slice(0, maxResultCharacters), failed: result.isError === true }
  } catch (error) {
    if (error instanceof AgentFailed) return { id, name, text: error.message, failed: true }
    throw error
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of the method that was asked.
type Answer = any

const ask = async (
  world: ChatDeps['world'],
  server: McpServer,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Answer> => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const reply = await world.post(
    server,
    {
      accept: 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  )
  const text = Buffer.from(reply.body).toString('utf8')
  let answer: Answer
  try {
    answer = JSON.parse(text)
  } catch {
    throw new AgentFailed(`${server.service} answered with the status ${reply.status}: ${text.slice(0, 300)}`)
  }
  if (answer.error) throw new AgentFailed(`${server.service}: ${answer.error.message ?? answer.error}`)
  return answer.result
}
