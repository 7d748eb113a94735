import type {
  AgentRunRecord,
  AgentStep,
  ChatMessage,
  ChatSession,
  ChatTurn,
  TraceCreate,
} from '@diorama/contract'
import type { Kysely } from 'kysely'
import { ApiError, notFound } from '../../http/api-error.ts'
import type { Caller } from '../../http/handler.ts'
import { ModelFailure } from '../../models/model.ts'
import type { ModelCatalog } from '../../models/models.ts'
import type { MakeId } from '../../storage/ids.ts'
import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'
import { type Agents, whyNotRunnable } from '../agents.ts'
import type { StoredVersion } from '../store.ts'
import type { AgentTables } from '../tables.ts'
import {
  type ChatRow,
  chatStore,
  type FinishedTurn,
  type Place,
  toMessages,
  toSession,
  toTurn,
} from './chat-store.ts'
import { type CommandRunner, commandTurn } from './command-turn.ts'
import { modelTurn } from './model-turn.ts'
import { type AnswerTurn, storable, storableStep, type TurnOutcome, type TurnRequest } from './turn.ts'
import { type EndedTurn, runOf, traceOf } from './turn-trace.ts'
import type { WorldAccess } from './world-access.ts'

export interface ChatParts {
  readonly db: Kysely<AgentTables>
  readonly agents: Agents
  readonly models: ModelCatalog
  readonly worlds: WorldAccess
  /** Undefined, with the reason, where no sandbox works. */
  readonly commands: () => Promise<{ runner: CommandRunner } | { unavailable: string }>
  readonly recordRun: (organizationId: string, run: AgentRunRecord) => Promise<unknown>
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly makeId: MakeId
}

const cancelTopic = 'agent-chat-cancel'
const maxTurns = 500
const maxAtOnce = 64
const modelTurnMs = 300_000
/** Beyond its own limit a turn gets this long to write how it ended. */
const graceMs = 60_000

export interface Chat {
  readonly start: (
    caller: Caller,
    agent: string,
    options: { version: string; world_id: string | null },
  ) => Promise<ChatSession>
  readonly send: (caller: Caller, place: Place, text: string, signal: AbortSignal) => Promise<ChatTurn>
  readonly list: (
    organizationId: string,
    agent: string,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<{ items: ChatSession[]; next_cursor: string | null }>
  readonly read: (place: Place) => Promise<ChatSession & { messages: ChatMessage[]; turns: ChatTurn[] }>
  /** Reaches the process that answers, whichever it is. */
  readonly cancel: (place: Place) => Promise<ChatSession>
  readonly answering: number
  readonly close: () => void
}

/** The rules of conversations with agents. */
export const openChat = (parts: ChatParts): Chat => {
  const { db, agents, models, worlds, commands, wake, log, now, random, makeId } = parts
  const store = chatStore(db)
  const running = new Map<string, AbortController>()
  const stopListening = wake.on(cancelTopic, (sessionId) => {
    if (sessionId !== undefined) running.get(sessionId)?.abort()
  })
  const hex = (bytes: number) => Buffer.from(random(bytes)).toString('hex')

  /** How a version answers; refuses by name what is missing for it. */
  const answererOf = async (caller: Caller, version: StoredVersion): Promise<AnswerTurn> => {
    const reference = `${version.agent}@${version.version}`
    const why = whyNotRunnable(version)
    if (why) throw new ApiError('conflict', why)
    if (version.content.run && version.content.run.kind !== 'chat') {
      if (!caller.limits.sandbox)
        throw new ApiError(
          'sandbox_denied',
          'This organization has no access to sandboxes, where commands run.',
        )
      const opened = await commands()
      if ('unavailable' in opened) throw new ApiError('sandbox_unavailable', opened.unavailable)
      return commandTurn(opened.runner)
    }
    if (!version.content.model)
      throw new ApiError(
        'conflict',
        `${reference} has neither a run command nor a model, so it cannot answer.`,
      )
    const open = await models.of(caller.organizationId, { source: 'chat' })
    try {
      open.open(version.content.model)
    } catch (error) {
      throw refusedModel(error)
    }
    return modelTurn({ models: open, worlds, now })
  }

  const findRow = async (place: Place): Promise<ChatRow> => {
    const row = await store.find(place)
    if (!row) throw notFound('chat session')
    return row
  }

  const start = async (
    caller: Caller,
    agent: string,
    { version, world_id }: { version: string; world_id: string | null },
  ): Promise<ChatSession> => {
    const found = await agents.readVersion(caller.organizationId, agent, version)
    await answererOf(caller, found)
    if (world_id !== null) {
      permitWorld(caller)
      if (!(await worlds.services(caller.organizationId, world_id))) throw notFound('world')
    }
    const row = await store.insert(
      { id: makeId('ses'), organization_id: caller.organizationId, agent, version: found.version, world_id },
      new Date(now()),
    )
    return toSession(row, now())
  }

  /** Runs the turn within its limits, and says how it ended, whatever happened. */
  const conclude = async (
    answer: AnswerTurn,
    request: TurnRequest,
    limits: { signal: AbortSignal; cancelled: AbortSignal; timeoutMs: number },
  ): Promise<{ turn: FinishedTurn; refusal: unknown }> => {
    const steps: AgentStep[] = []
    const timeout = AbortSignal.timeout(limits.timeoutMs)
    const stop = AbortSignal.any([limits.signal, limits.cancelled, timeout])
    const ended = (
      status: FinishedTurn['status'],
      outcome: Omit<TurnOutcome, 'status' | 'answer'>,
      answered: string | null,
    ) => ({
      id: request.turnId,
      sessionId: request.sessionId,
      status,
      answered: answered && storable(answered),
      answeredAt: new Date(now()),
      steps,
      usage: outcome.usage,
      costUsd: outcome.costUsd,
      error: outcome.error && storable(outcome.error),
    })
    const spent = () => ({ usage: tokensIn(steps), costUsd: null })
    try {
      const outcome = await answer(request, (step) => void steps.push(storableStep(step)), stop)
      return { turn: ended(outcome.status, outcome, outcome.answer), refusal: undefined }
    } catch (error) {
      if (limits.signal.aborted || limits.cancelled.aborted)
        return {
          turn: ended('cancelled', { ...spent(), error: 'The turn was cancelled.' }, null),
          refusal: undefined,
        }
      if (timeout.aborted) {
        const message = `The agent did not answer within ${Math.round(limits.timeoutMs / 1_000)} seconds.`
        return { turn: ended('failed', { ...spent(), error: message }, null), refusal: undefined }
      }
      const refusal = refusedModel(error)
      const message = refusal instanceof ApiError ? refusal.message : 'The service failed while answering.'
      return { turn: ended('failed', { ...spent(), error: message }, null), refusal }
    }
  }

  /** What a turn leaves behind beside the conversation. It must not undo an answer that was given. */
  const leaveTraces = async (ended: EndedTurn): Promise<void> => {
    const { organizationId } = ended.request
    try {
      // The run first: a trace that belongs to a run is not recorded as another run.
      await parts.recordRun(organizationId, runOf(ended))
      await parts.recordTrace(
        organizationId,
        traceOf(ended, () => hex(8)),
      )
    } catch (error) {
      log.error({ event: 'chat.turn_unrecorded', error }, 'A turn left no run or no trace.')
    }
  }

  const send = async (caller: Caller, place: Place, text: string, signal: AbortSignal): Promise<ChatTurn> => {
    const session = await findRow(place)
    if (session.world_id !== null) permitWorld(caller)
    const version = await agents.readVersion(caller.organizationId, session.agent, session.version)
    const answer = await answererOf(caller, version)
    if (running.size >= maxAtOnce)
      throw new ApiError('limit_exceeded', `${maxAtOnce} chats are being answered; try again.`, {
        retryAfterSeconds: 2,
      })
    const before = await store.history(session.id, maxTurns)
    if (before.length >= maxTurns)
      throw new ApiError('conflict', `The session has ${maxTurns} messages; start another one.`)
    const timeoutMs = version.content.run ? version.content.run.timeout_seconds * 1_000 : modelTurnMs
    const startedAt = new Date(now())
    const traceId = hex(16)
    const turnId = makeId('run')
    const until = new Date(startedAt.getTime() + timeoutMs + graceMs)
    if (!(await store.begin(session.id, { id: turnId, asked: text, traceId, at: startedAt, until })))
      throw new ApiError('conflict', 'The session is still answering; wait for it, or cancel.')
    const request: TurnRequest = {
      organizationId: caller.organizationId,
      sessionId: session.id,
      turnId,
      version,
      worldId: session.world_id,
      history: before,
      text,
    }
    const cancel = new AbortController()
    running.set(session.id, cancel)
    const { turn, refusal } = await conclude(answer, request, {
      signal,
      cancelled: cancel.signal,
      timeoutMs,
    }).finally(() => running.delete(session.id))
    const row = await store.finish(turn)
    await leaveTraces({ request, turn, traceId, startedAt })
    if (refusal) throw refusal
    return toTurn(row)
  }

  return {
    start,
    send,
    list: async (
      organizationId: string,
      agent: string,
      page: { limit: number; cursor?: string | undefined },
    ) => {
      await agents.read(organizationId, agent)
      const { items, nextCursor } = await store.list(organizationId, agent, page)
      return { items: items.map((row) => toSession(row, now())), next_cursor: nextCursor }
    },
    read: async (place: Place) => {
      const row = await findRow(place)
      const turns = await store.turns(row.id, maxTurns)
      return { ...toSession(row, now()), messages: turns.flatMap(toMessages), turns: turns.map(toTurn) }
    },
    cancel: async (place: Place): Promise<ChatSession> => {
      const row = await findRow(place)
      await wake.send(cancelTopic, row.id)
      return toSession(row, now())
    },
    get answering() {
      return running.size
    },
    close: stopListening,
  }
}

/** In a world an agent changes records, which a key for agents alone may not do. */
const permitWorld = ({ keyClass, scopes }: Caller): void => {
  if (keyClass !== 'standard' || scopes.has('worlds:write')) return
  throw new ApiError('forbidden', 'Chatting in a world needs a key with the scope worlds:write.')
}

/** What the model used before the turn was cut short. */
const tokensIn = (steps: readonly AgentStep[]) => {
  const sum = (field: string) => steps.reduce((total, { detail }) => total + (Number(detail[field]) || 0), 0)
  return { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') }
}

const refusedModel = (error: unknown): unknown => {
  if (!(error instanceof ModelFailure)) return error
  if (error.reason === 'not_configured')
    return new ApiError('not_configured', error.message, { cause: error })
  return new ApiError('model_failed', error.message, {
    cause: error,
    ...(error.reason === 'rate_limited'
      ? { retryAfterSeconds: Math.ceil((error.retryAfterMs ?? 5_000) / 1_000) }
      : {}),
  })
}
