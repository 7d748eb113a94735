import { AgentStep, type ChatMessage, type ChatSession, ChatTurn } from '@diorama/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { keysetPage, type Page } from '../../storage/pages.ts'
import type { PageOf } from '../store.ts'
import type { AgentTables } from '../tables.ts'

export type ChatRow = Selectable<AgentTables['agent_chats']>
type TurnRow = Selectable<AgentTables['agent_turns']>

export interface Place {
  readonly organizationId: string
  readonly agent: string
  readonly sessionId: string
}

export interface FinishedTurn {
  readonly id: string
  readonly sessionId: string
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly answered: string | null
  readonly answeredAt: Date
  readonly steps: readonly AgentStep[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
  readonly costUsd: number | null
  readonly error: string | null
}

export interface ChatStore {
  readonly insert: (
    row: Pick<ChatRow, 'id' | 'organization_id' | 'agent' | 'version' | 'world_id'>,
    at: Date,
  ) => Promise<ChatRow>
  readonly find: (place: Place) => Promise<ChatRow | undefined>
  readonly list: (organizationId: string, agent: string, page: PageOf) => Promise<Page<ChatRow>>
  readonly turns: (sessionId: string, limit: number) => Promise<TurnRow[]>
  /** What was said, without how it came about. */
  readonly history: (
    sessionId: string,
    limit: number,
  ) => Promise<{ asked: string; answered: string | null }[]>
  /**
   * Takes the session for one turn. False while another turn has it; one whose process ended without a word loses it
   * when its time is up.
   */
  readonly begin: (
    sessionId: string,
    turn: { id: string; asked: string; traceId: string; at: Date; until: Date },
  ) => Promise<boolean>
  /** Writes how a turn ended and lets go of the session. */
  readonly finish: (turn: FinishedTurn) => Promise<TurnRow>
}

/** The SQL of chat sessions and their turns. */
export const chatStore = (db: Kysely<AgentTables>): ChatStore => ({
  insert: async (row: Pick<ChatRow, 'id' | 'organization_id' | 'agent' | 'version' | 'world_id'>, at: Date) =>
    db
      .insertInto('agent_chats')
      .values({ ...row, created_at: at, updated_at: at, message_count: 0, turn_id: null, turn_until: null })
      .returningAll()
      .executeTakeFirstOrThrow(),

  find: ({ organizationId, agent, sessionId }: Place): Promise<ChatRow | undefined> =>
    db
      .selectFrom('agent_chats')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('agent', '=', agent)
      .where('id', '=', sessionId)
      .executeTakeFirst(),

  list: (organizationId: string, agent: string, page: PageOf): Promise<Page<ChatRow>> =>
    keysetPage(
      db
        .selectFrom('agent_chats')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('agent', '=', agent),
      { column: 'created_at', timed: true, ...page, position: (row) => ({ at: row.created_at, id: row.id }) },
    ),

  turns: (sessionId: string, limit: number): Promise<TurnRow[]> =>
    db
      .selectFrom('agent_turns')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('id')
      .limit(limit)
      .execute(),

  history: (sessionId: string, limit: number): Promise<{ asked: string; answered: string | null }[]> =>
    db
      .selectFrom('agent_turns')
      .select(['asked', 'answered'])
      .where('session_id', '=', sessionId)
      .orderBy('id')
      .limit(limit)
      .execute(),

  begin: (
    sessionId: string,
    turn: { id: string; asked: string; traceId: string; at: Date; until: Date },
  ): Promise<boolean> =>
    db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ former: string | null }>`
        update agent_chats c set turn_id = ${turn.id}, turn_until = ${turn.until}, updated_at = ${turn.at},
          message_count = c.message_count + 1
        from (select id, turn_id from agent_chats where id = ${sessionId} for update) as held
        where c.id = held.id and (held.turn_id is null or c.turn_until < ${turn.at})
        returning held.turn_id as former`.execute(trx)
      const [taken] = rows
      if (!taken) return false
      if (taken.former !== null)
        await trx
          .updateTable('agent_turns')
          .set({ status: 'failed', error: 'The process that was answering ended.', answered_at: turn.at })
          .where('id', '=', taken.former)
          .where('status', '=', 'running')
          .execute()
      await trx
        .insertInto('agent_turns')
        .values({
          id: turn.id,
          session_id: sessionId,
          status: 'running',
          asked: turn.asked,
          answered: null,
          asked_at: turn.at,
          answered_at: null,
          steps: '[]',
          trace_id: turn.traceId,
          input_tokens: 0,
          output_tokens: 0,
          cost_usd: null,
          error: null,
        })
        .execute()
      return true
    }),

  finish: (turn: FinishedTurn): Promise<TurnRow> =>
    db.transaction().execute(async (trx) => {
      const row = await trx
        .updateTable('agent_turns')
        .set({
          status: turn.status,
          answered: turn.answered,
          answered_at: turn.answeredAt,
          steps: JSON.stringify(turn.steps),
          input_tokens: turn.usage.input_tokens,
          output_tokens: turn.usage.output_tokens,
          cost_usd: turn.costUsd,
          error: turn.error,
        })
        .where('id', '=', turn.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await trx
        .updateTable('agent_chats')
        .set((eb) => ({
          turn_id: null,
          turn_until: null,
          updated_at: turn.answeredAt,
          message_count: eb('message_count', '+', turn.answered === null ? 0 : 1),
        }))
        .where('id', '=', turn.sessionId)
        .where('turn_id', '=', turn.id)
        .execute()
      return row
    }),
})

export const toSession = (row: ChatRow, now: number): ChatSession => ({
  id: row.id,
  agent: `${row.agent}@${row.version}`,
  world_id: row.world_id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  busy: row.turn_id !== null && row.turn_until !== null && row.turn_until.getTime() > now,
  message_count: row.message_count,
})

const Steps = z.array(AgentStep)
const Status = ChatTurn.shape.status

/** A turn as the wire shows it; its messages are those that the agent added. */
export const toTurn = (row: TurnRow): ChatTurn => ({
  id: row.id,
  status: Status.parse(row.status),
  messages: answersOf(row),
  steps: Steps.parse(row.steps),
  trace_id: row.trace_id,
  usage: { input_tokens: row.input_tokens, output_tokens: row.output_tokens },
  cost_usd: row.cost_usd,
  error: row.error,
})

export const toMessages = (row: TurnRow): ChatMessage[] => [
  { role: 'user', text: row.asked, created_at: row.asked_at.toISOString() },
  ...answersOf(row),
]

const answersOf = ({ answered, answered_at }: TurnRow): ChatMessage[] =>
  answered === null || answered_at === null
    ? []
    : [{ role: 'assistant', text: answered, created_at: answered_at.toISOString() }]
