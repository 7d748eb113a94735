import type { FrozenTask, Score, UnaskedChanges } from '@diorama/contract'
import type { ModelTool } from '../../models/model.ts'
import { failsByUnasked } from '../../scoring/unasked.ts'
import type { BoundedCache } from '../../storage/bounded-cache.ts'
import { weightedMean } from '../results/results.ts'
import { AgentFailed } from '../trial/agents/agent-run.ts'
import { type GradeDeps, type Graded, grade } from '../trial/grade.ts'
import { callWorldTool, listWorldTools, type ToolAnswer, textOf } from '../trial/tools/world-tools.ts'
import type { EpisodeWorld, EpisodeWorldDeps } from './episode-world.ts'

/** A tool of a world, without what is different in each fork of it. */
interface KnownTool extends ModelTool {
  readonly service: string
  readonly tool: string
}

export interface EpisodeDeps extends EpisodeWorldDeps, GradeDeps {
  /** The tools of a world are the same in every fork of it: listed once, and kept in an LRU cache. */
  readonly toolCache: BoundedCache<readonly KnownTool[]>
}

export interface CreateEpisodeOrder {
  readonly id: string
  readonly organizationId: string
  readonly task: FrozenTask
  readonly world: EpisodeWorld
}

export interface EpisodeResult {
  readonly text: string
  readonly structured?: unknown
  readonly content: NonNullable<ToolAnswer['content']>
  readonly isError: boolean
}

export interface EpisodeGrade {
  /** The weighted mean of the scores, from 0 to 1; 0 where the task is failed for another reason; null without verdict. */
  readonly reward: number | null
  readonly passed: boolean | null
  readonly scores: readonly Score[]
  readonly unaskedChanges: UnaskedChanges | null
  /** Why there is no verdict, or why the task is failed without regard to the scores. */
  readonly error: string | null
}

/** A task under way: its world, its tools, and at the end the verdict of its scorers. */
export interface Episode {
  readonly id: string
  readonly task: FrozenTask
  readonly tools: () => Promise<readonly ModelTool[]>
  /** Fails with `NoSuchTool`; whatever else goes wrong is the tool's result. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<EpisodeResult>
  /** Grades the world as it is, and the answer. */
  readonly grade: (answer: string, signal: AbortSignal) => Promise<EpisodeGrade>
  /** Ends the twins; their records stay. */
  readonly close: () => Promise<void>
}

export class NoSuchTool extends Error {
  override readonly name = 'NoSuchTool'
}

/** The platform failed the episode, so that nothing it shows from here on says anything of the agent. */
export class EpisodeBroken extends Error {
  override readonly name = 'EpisodeBroken'
}

/** Names that clients of episodes give a meaning to; a tool of a service that has one is called by its service too. */
const reserved = ['reset', 'step', 'state', 'close', 'done', 'wait']

/** The tool by which an agent says that it is done, and gives its answer. */
export const doneTool: ModelTool = {
  name: 'done',
  description: 'Ends the task. Call it once, when everything is done; the result is graded then.',
  inputSchema: {
    type: 'object',
    properties: { answer: { type: 'string', description: 'The answer, where the task asks for one.' } },
    additionalProperties: false,
  },
}

const waitTool: ModelTool = {
  name: 'wait',
  description:
    'Waits in the time of the company, for example for a colleague to answer. Give one of for, seconds and until.',
  inputSchema: {
    type: 'object',
    properties: {
      for: { type: 'string', description: 'A length of time such as 90s, 2h or 1h30m.' },
      seconds: { type: 'number', minimum: 0 },
      until: { type: 'string', description: 'An ISO-8601 time with an offset.' },
      until_told: { type: 'boolean', description: 'Ends the wait when somebody writes.' },
    },
    additionalProperties: false,
  },
}

export const createEpisode = (deps: EpisodeDeps, order: CreateEpisodeOrder): Episode => {
  const { id, task, world } = order
  const known = async (): Promise<readonly KnownTool[]> => {
    const key = `${task.environment_version_id} ${task.crowding ?? 0}`
    const kept = deps.toolCache.get(key)
    if (kept) return kept
    const listed = await listWorldTools(await world.tools(), reserved)
    const tools = listed.map(({ server, ...tool }) => ({ ...tool, service: server.service }))
    deps.toolCache.set(key, tools)
    return tools
  }
  const requireWhole = (): void => {
    const stopped = world.stopped()
    if (stopped?.by === 'platform') throw new EpisodeBroken(stopped.reason)
  }
  return {
    id,
    task,
    tools: async () => [
      ...(await known()).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      ...(world.canWait ? [waitTool] : []),
      doneTool,
    ],
    call: async (name, args) => {
      if (name === waitTool.name && world.canWait) {
        const { text, failed } = await world.wait(args)
        return textResult(text, failed)
      }
      const tool = (await known()).find((one) => one.name === name)
      const reached = await world.tools()
      const server = reached.mcpServers.find(({ service }) => service === tool?.service)
      if (!tool || !server) throw new NoSuchTool(`There is no tool ${name.slice(0, 100)}.`)
      try {
        const answer = await callWorldTool(reached, { ...tool, server }, args)
        return {
          text: textOf(answer),
          content: answer.content ?? [],
          ...(answer.structuredContent === undefined ? {} : { structured: answer.structuredContent }),
          isError: answer.isError ?? false,
        }
      } catch (error) {
        if (error instanceof AgentFailed) return textResult(error.message, true)
        throw error
      } finally {
        requireWhole()
      }
    },
    grade: async (answer, signal) => {
      requireWhole()
      const { state, unreadable } = await world.state()
      const graded = await grade(
        deps,
        { ...order, agent: { reference: 'episode' }, trialId: id, ...placeOf(task) },
        {
          output: answer,
          state: state?.file,
          changes: state,
          untouched: world.untouched,
          signal,
        },
      )
      return verdictOf(graded, world.stopped()?.reason ?? unreadable)
    },
    close: world.close,
  }
}

const placeOf = (task: FrozenTask) => ({
  environmentVersionId: task.environment_version_id,
  extraScorers: [],
})

const textResult = (text: string, isError: boolean): EpisodeResult => ({
  text,
  content: [{ type: 'text', text }],
  isError,
})

const verdictOf = (
  { scores, verdict, unaskedChanges }: Graded,
  failure: string | undefined,
): EpisodeGrade => {
  const { passed } = failure === undefined ? verdict : { passed: false }
  const isVoid = failure !== undefined || failsByUnasked(unaskedChanges)
  const mean = isVoid ? 0 : weightedMean(scores)
  return {
    reward: passed === null ? null : (mean ?? (passed ? 1 : 0)),
    passed,
    scores,
    unaskedChanges,
    error: failure ?? ('error' in verdict ? verdict.error : null),
  }
}
