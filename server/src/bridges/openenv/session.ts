import type { FrozenTask } from '@diorama/contract'
import {
  doneTool,
  type Episode,
  EpisodeBroken,
  type EpisodeGrade,
  NoSuchTool,
} from '../../evaluations/episodes/episode.ts'
import { TaskUnfit } from '../../evaluations/episodes/episodes.ts'
import type { Log } from '../../storage/log.ts'
import {
  type Action,
  Action as ActionSchema,
  OpenEnvError,
  parsed,
  ResetData,
  Rpc,
  type State,
} from './messages.ts'

export interface SessionDeps {
  readonly id: string
  /** The tasks of the suite, as they were when the client connected. */
  readonly tasks: readonly FrozenTask[]
  readonly open: (task: FrozenTask) => Promise<Episode>
  readonly log: Log
}

/** One connection of the protocol: at most one episode at a time. */
export interface Session {
  /** By which another socket can join it. */
  readonly id: string
  /** The reply to a message, or that the client is done. Messages are answered one after the other. */
  readonly answer: (text: string) => Promise<string | 'closed'>
  /** Ends the episode, also one that is being opened. */
  readonly close: () => Promise<void>
}

interface Current {
  readonly episode: Episode
  /** The client's own name for it, or its id. */
  readonly name: string
  steps: number
  graded: EpisodeGrade | undefined
}

export const createSession = ({ id, tasks, open, log }: SessionDeps): Session => {
  const ended = new AbortController()
  let current: Current | undefined
  let turn = 0

  const leave = async (): Promise<void> => {
    const left = current
    current = undefined
    await left?.episode.close()
  }

  const openTask = async (task: FrozenTask): Promise<Episode> => {
    if (task.container)
      throw new OpenEnvError(
        'FACTORY_ERROR',
        `${task.title} runs in a container, which episodes do not have.`,
      )
    const episode = await open(task).catch((error: unknown) => {
      if (error instanceof TaskUnfit) throw new OpenEnvError('FACTORY_ERROR', error.message)
      throw error
    })
    if (!ended.signal.aborted) return episode
    await episode.close()
    throw new OpenEnvError('SESSION_ERROR', 'The connection was closed.')
  }

  const reset = async (sent: unknown) => {
    const asked = parsed(ResetData, sent ?? {}, 'data')
    const task = taskOf(tasks, asked, () => turn++)
    const [episode] = await Promise.all([openTask(task), leave()])
    current = { episode, name: asked.episode_id ?? episode.id, steps: 0, graded: undefined }
    return observation({
      instruction: task.instruction,
      metadata: { instruction: task.instruction, episode: episode.id, task: shownTask(task) },
    })
  }

  /** Lists the tools of the episode; before the first reset, those of the first task. */
  const tools = async () => {
    const { episode } = current ?? {}
    const listed = episode ?? (await openTask(firstOf(tasks)))
    try {
      return await listed.tools()
    } finally {
      if (!episode) await listed.close()
    }
  }

  const finish = async (running: Current, answer: unknown) => {
    const text = answer === undefined ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer)
    running.graded = await running.episode.grade(text, ended.signal)
    return running.graded
  }

  const running = (): Current => {
    if (!current) throw new OpenEnvError('EXECUTION_ERROR', 'There is no episode; reset first.')
    if (current.graded) throw new OpenEnvError('EXECUTION_ERROR', 'The episode is done; reset first.')
    return current
  }

  const step = async (action: Action) => {
    if (action.type === 'list_tools') {
      const listed = await tools()
      return observation({ tools: listed.map(shownTool), metadata: {} })
    }
    const now = running()
    const { tool_name, arguments: args } = action
    now.steps++
    if (tool_name === doneTool.name) {
      const graded = await finish(now, args.answer)
      const shown = shownGrade(graded)
      return observation(
        { tool_name, result: { data: shown, content: [], is_error: false }, error: null, metadata: shown },
        { done: true, reward: graded.reward },
      )
    }
    try {
      const result = await now.episode.call(tool_name, args)
      return observation({ tool_name, result: shownResult(result), error: null, metadata: {} })
    } catch (error) {
      if (!(error instanceof NoSuchTool)) throw error
      const refused = { error_type: 'tool_not_found', message: error.message }
      return observation({ tool_name, result: null, error: refused, metadata: {} })
    }
  }

  /** The Model Context Protocol within the connection: the same tools, without rewards. */
  const rpc = async (sent: unknown) => {
    const { method, params, id: call = null } = parsed(Rpc, sent, 'data')
    const reply = (body: object) => ({ type: 'mcp', data: { jsonrpc: '2.0', id: call, ...body } })
    if (method === 'tools/list') {
      const listed = await tools()
      return reply({ result: { tools: listed } })
    }
    if (method !== 'tools/call') return reply({ error: { code: -32601, message: 'Method not found' } })
    const action = { type: 'call_tool', tool_name: params.name, arguments: params.arguments ?? {} }
    const { data } = await step(parsed(ActionSchema, action, 'data/params'))
    const { result, error } = data.observation as { result?: unknown; error?: { message: string } | null }
    return reply(error ? { error: { code: -32602, message: error.message } } : { result })
  }

  const state = (): State => {
    const task = current?.episode.task
    return {
      session_id: id,
      episode_id: current?.name ?? null,
      step_count: current?.steps ?? 0,
      task_id: task?.id ?? null,
      task_key: task?.key ?? null,
      done: current?.graded !== undefined,
      reward: current?.graded?.reward ?? null,
    }
  }

  const answerMessage = (message: { type?: unknown; data?: unknown }): object | Promise<object> => {
    switch (message.type) {
      case 'reset':
        return reset(message.data)
      case 'step':
        return step(parsed(ActionSchema, message.data, 'data'))
      case 'state':
        return { type: 'state', data: state() }
      case 'mcp':
        return rpc(message.data)
    }
    throw new OpenEnvError('UNKNOWN_TYPE', `Unknown message type: ${String(message.type).slice(0, 100)}`)
  }

  const refusal = async (error: unknown): Promise<string> => {
    if (error instanceof OpenEnvError) return errorText(error)
    if (error instanceof EpisodeBroken) {
      await leave()
      return errorText(new OpenEnvError('EXECUTION_ERROR', error.message))
    }
    if (!ended.signal.aborted) log.error({ event: 'episode.failed', error }, 'An episode failed.')
    return errorText(
      new OpenEnvError('EXECUTION_ERROR', 'The service could not do this. Reset and try again.'),
    )
  }

  const answerText = async (text: string): Promise<string | 'closed'> => {
    try {
      const message = messageOf(text)
      if (message.type === 'close') return 'closed'
      return JSON.stringify(await answerMessage(message))
    } catch (error) {
      return refusal(error)
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    id,
    answer: (text) => {
      const reply = last.then(() => answerText(text))
      last = reply.catch(ignored)
      return reply
    },
    close: async () => {
      ended.abort()
      await leave()
    },
  }
}

const ignored = (): void => undefined

export const errorText = ({ code, message }: OpenEnvError): string =>
  JSON.stringify({ type: 'error', data: { message, code } })

const messageOf = (text: string): { type?: unknown; data?: unknown } => {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw new OpenEnvError('INVALID_JSON', 'Invalid JSON')
  }
  if (typeof message !== 'object' || message === null)
    throw new OpenEnvError('VALIDATION_ERROR', 'A message must be an object with a type.')
  return message
}

const firstOf = (tasks: readonly FrozenTask[]): FrozenTask => {
  const [first] = tasks
  if (!first) throw new OpenEnvError('FACTORY_ERROR', 'The suite has no tasks.')
  return first
}

const taskOf = (tasks: readonly FrozenTask[], { task, seed }: ResetData, turn: () => number): FrozenTask => {
  if (task === undefined) return tasks[(seed ?? turn()) % tasks.length] ?? firstOf(tasks)
  const found = tasks.find(({ id, key }) => id === task || key === task)
  if (found) return found
  const known = tasks.map(({ id, key }) => key ?? id).slice(0, 20)
  throw new OpenEnvError(
    'VALIDATION_ERROR',
    `/data/task: the suite has no task ${task}; it has ${known.join(', ')}`,
  )
}

const observation = (
  shown: object,
  { done = false, reward = null }: { done?: boolean; reward?: number | null } = {},
) => ({ type: 'observation', data: { observation: shown, reward, done } })

const shownTask = ({ id, key, title }: FrozenTask) => ({ id, key, title })

type Tools = Awaited<ReturnType<Episode['tools']>>
const shownTool = ({ name, description, inputSchema }: Tools[number]) => ({
  name,
  description,
  input_schema: inputSchema,
})

/** The result of a tool as clients of the protocol read it: `data` is what they hand on. */
const shownResult = ({ text, structured, content, isError }: Awaited<ReturnType<Episode['call']>>) => ({
  content,
  ...(structured === undefined ? {} : { structured_content: structured }),
  data: structured ?? text,
  is_error: isError,
})

const shownGrade = ({ reward, passed, scores, unaskedChanges, error }: EpisodeGrade) => ({
  reward,
  passed,
  scores: scores.map(({ name, score, passed: met, reason, error: failure }) => ({
    name,
    score,
    passed: met,
    reason,
    error: failure,
  })),
  unasked_changes: unaskedChanges,
  error,
})
