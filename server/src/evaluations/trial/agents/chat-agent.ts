import type { Usage } from '@diorama/contract'
import {
  type Model,
  ModelFailure,
  type ModelMessage,
  type ModelTool,
  type ToolCall,
} from '../../../models/model.ts'
import {
  callWorldTool,
  listWorldTools,
  type ToolWorld,
  textOf,
  type WorldTool,
} from '../tools/world-tools.ts'
import { addUsage, noUsage } from '../usage.ts'
import { AttemptVoided } from '../voided.ts'
import { AgentFailed } from './agent-run.ts'

const maxResultCharacters = 60_000

export interface ChatDeps {
  readonly model: Model
  readonly instructions: string
  readonly instruction: string
  readonly maxTurns: number
  readonly world: ToolWorld
  readonly signal: AbortSignal
}

/** Drives a model with the tools of the world until it calls none; what it writes then is its answer. */
export const runChatAgent = async (deps: ChatDeps): Promise<{ output: string; usage: Usage }> => {
  const { model, instruction, maxTurns, signal } = deps
  const tools = await listWorldTools(deps.world)
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

const shownTool = ({ name, description, inputSchema }: WorldTool): ModelTool => ({
  name,
  description,
  inputSchema,
})

const resultOf = async (
  world: ChatDeps['world'],
  tools: readonly WorldTool[],
  { id, name, input }: ToolCall,
) => {
  const offered = tools.find((one) => one.name === name)
  if (!offered) return { id, name, text: `There is no tool ${name}.`, failed: true }
  if (input === undefined) return { id, name, text: 'The arguments are not valid JSON.', failed: true }
  try {
    const result = await callWorldTool(world, offered, input)
    return { id, name, text: textOf(result).slice(0, maxResultCharacters), failed: result.isError === true }
  } catch (error) {
    // What a server refuses is reported to the model, which may try something else.
    if (error instanceof AgentFailed) return { id, name, text: error.message, failed: true }
    throw error
  }
}
