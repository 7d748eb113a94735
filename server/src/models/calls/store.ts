import { gunzipSync } from 'node:zlib'
import type { ModelCall, ModelCallDetail, ModelUsage } from '@diorama/contract'
import { jsonIn } from '@diorama/contract/records'
import { type Kysely, type Selectable, sql } from 'kysely'
import { keysetPage } from '../../storage/pages.ts'
import type { ModelTables } from '../tables.ts'
import { operationAt } from '../wires/operations.ts'
import type { FinishedCall } from './call.ts'

/** Which trial calls belong to; nothing of it for those of a chat. */
export interface CallPlace {
  readonly organizationId: string
  readonly jobId: string | null
  readonly trialId: string | null
  readonly attempt: number
  readonly agent: string | null
}

/** The SQL of model calls. */
export interface CallStore {
  write(place: CallPlace, calls: readonly FinishedCall[]): Promise<void>
  list(
    jobId: string,
    trialId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: ModelCall[]; next_cursor: string | null }>
  find(organizationId: string, id: string): Promise<ModelCallDetail | undefined>
  /** The agent's own calls of one attempt at a trial, in their order, read a few at a time. */
  ofAttempt(at: Attempt): AsyncIterable<ModelCallDetail>
  usage(jobId: string): Promise<ModelUsage>
}

export interface Attempt {
  readonly jobId: string
  readonly trialId: string
  readonly attempt: number
}

const batch = 100
/** Bodies are large: so many calls are unpacked at once. */
const readBatch = 20
type Row = Selectable<ModelTables['model_calls']>

const shownColumns = [
  ...(['id', 'job_id', 'trial_id', 'attempt', 'source', 'provider', 'model', 'operation', 'served'] as const),
  ...(['streamed', 'status', 'outcome', 'error', 'input_tokens', 'output_tokens'] as const),
  ...([
    'cached_input_tokens',
    'cost_usd',
    'latency_ms',
    'first_byte_ms',
    'request_sha256',
    'started_at',
  ] as const),
] as const

export const callStore = (db: Kysely<ModelTables>): CallStore => ({
  write: async ({ organizationId, jobId, trialId, attempt, agent }, calls) => {
    for (let at = 0; at < calls.length; at += batch)
      await db
        .insertInto('model_calls')
        .values(
          calls.slice(at, at + batch).map((call) => ({
            ...{
              id: call.id,
              organization_id: organizationId,
              job_id: jobId,
              trial_id: trialId,
              attempt,
              agent,
            },
            ...{ source: call.source, provider: call.provider, model: call.model, operation: call.operation },
            ...{ served: call.served, streamed: call.streamed, status: call.status, outcome: call.outcome },
            error: call.error?.toWellFormed().replaceAll('\0', '\ufffd').slice(0, 2_000) ?? null,
            input_tokens: call.inputTokens,
            output_tokens: call.outputTokens,
            cached_input_tokens: call.cachedInputTokens,
            ...{ cost_usd: call.costUsd, latency_ms: call.latencyMs, first_byte_ms: call.firstByteMs },
            request_sha256: call.requestSha256,
            started_at: new Date(call.startedAt),
            ...{ request: call.request, response: call.response },
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  },
  list: async (jobId, trialId, page) => {
    const query = db
      .selectFrom('model_calls')
      .select(shownColumns)
      .where('job_id', '=', jobId)
      .where('trial_id', '=', trialId)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'started_at',
      ...page,
      position: (row) => ({ at: row.started_at, id: row.id }),
    })
    return { items: items.map(shown), next_cursor: nextCursor }
  },
  find: async (organizationId, id) => {
    const row = await db
      .selectFrom('model_calls')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && detail(row)
  },
  ofAttempt: async function* ({ jobId, trialId, attempt }) {
    const query = db
      .selectFrom('model_calls')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('trial_id', '=', trialId)
      .where('attempt', '=', attempt)
      .where('source', '=', 'agent')
      .orderBy('started_at')
      .orderBy('id')
    for (let offset = 0; ; offset += readBatch) {
      const rows = await query.limit(readBatch).offset(offset).execute()
      for (const row of rows) yield detail(row)
      if (rows.length < readBatch) return
    }
  },
  usage: async (jobId) => {
    const { rows } = await sql<UsageRow>`
      select agent, source, provider, model, count(*)::int as calls,
        (count(*) filter (where served = 'live'))::int as served_live,
        (count(*) filter (where outcome = 'missing'))::int as missing,
        sum(input_tokens)::int as input_tokens, sum(output_tokens)::int as output_tokens,
        sum(cached_input_tokens)::int as cached_input_tokens, sum(cost_usd) as cost_usd,
        sum(latency_ms) as latency_ms
      from model_calls where job_id = ${jobId}
      group by agent, source, provider, model order by agent, source, provider, model`.execute(db)
    return { total: summed(rows), groups: rows }
  },
})

type UsageRow = ModelUsage['groups'][number]

const summed = (rows: readonly UsageRow[]): ModelUsage['total'] => {
  const sum = (field: Exclude<keyof ModelUsage['total'], 'cost_usd'>) =>
    rows.reduce((total, row) => total + row[field], 0)
  const costs = rows.flatMap(({ cost_usd }) => cost_usd ?? [])
  return {
    calls: sum('calls'),
    served_live: sum('served_live'),
    missing: sum('missing'),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cached_input_tokens: sum('cached_input_tokens'),
    cost_usd: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
    latency_ms: sum('latency_ms'),
  }
}

const shown = (row: Pick<Row, (typeof shownColumns)[number]>): ModelCall => ({
  ...row,
  source: row.source as ModelCall['source'],
  served: row.served as ModelCall['served'],
  outcome: row.outcome as ModelCall['outcome'],
  started_at: row.started_at.toISOString(),
})

/** The prompt and the reply are read from the bodies, as the wire that they came by says. */
const detail = ({ request, response, organization_id: _, agent: __, ...row }: Row): ModelCallDetail => {
  const [asked, came] = [textOf(request), textOf(response)]
  const found = operationAt('POST', pathOf(row.operation))
  const read = found?.operation.readRequest(jsonIn(asked), { model: row.model })
  const reply = row.status < 300 ? found?.operation.readReply(came) : undefined
  return {
    ...shown(row),
    messages: (read?.messages ?? []).map((message) => ({
      ...message,
      ...(message.tool_calls ? { tool_calls: [...message.tool_calls] } : {}),
    })) as ModelCallDetail['messages'],
    reply: {
      text: reply?.text ?? '',
      tool_calls: [...(reply?.toolCalls ?? [])],
      finish: reply?.finish ?? null,
    },
    request: asked,
    response: came,
  }
}

const textOf = (bytes: Buffer): string => gunzipSync(bytes).toString('utf8')

const pathOf = (operation: string): string =>
  operation.endsWith('Content') ? `/models/x:${operation}` : `/${operation.replace('.', '/')}`
