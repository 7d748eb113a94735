import type { GenAi } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'
import { readGenAi } from '../otlp/genai.ts'

export type Attributes = Readonly<Record<string, unknown>>

/** A span as it was sent, by whichever door; what was left out is undefined. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: string | undefined
  readonly status: string | undefined
  readonly statusMessage: string | undefined
  readonly start: Date | undefined
  readonly end: Date | undefined
  readonly durationMs: number | undefined
  readonly attributes: Attributes
  readonly entities: Readonly<Record<string, string>>
  /** What else an exporter sent: exact times, events, links, resource, scope and fields we do not know. */
  readonly otlp: Attributes | undefined
  readonly source: string | undefined
}

/** A span as it is kept: everything known so far, with the times that follow from it. */
export interface KnownSpan extends SentSpan {
  readonly id: string
  readonly recordedAt: Date
  readonly startedAt: Date
  readonly endedAt: Date | undefined
  readonly tookMs: number | undefined
  readonly genAi: GenAi | undefined
}

/** Puts a later telling of a span over an earlier one: what it leaves out stays as it was. */
export const mergeSent = (earlier: SentSpan, later: SentSpan): SentSpan => ({
  traceId: later.traceId,
  spanId: later.spanId,
  parentSpanId: later.parentSpanId ?? earlier.parentSpanId,
  name: later.name,
  kind: later.kind ?? earlier.kind,
  status: later.status ?? earlier.status,
  statusMessage: later.statusMessage ?? earlier.statusMessage,
  start: later.start ?? earlier.start,
  end: later.end ?? earlier.end,
  durationMs: later.durationMs ?? earlier.durationMs,
  attributes: { ...earlier.attributes, ...later.attributes },
  entities: { ...earlier.entities, ...later.entities },
  otlp: later.otlp || earlier.otlp ? { ...earlier.otlp, ...later.otlp } : undefined,
  source: later.source ?? earlier.source,
})

/** Tells what follows from the times that were given; two of start, end and duration give the third. */
export const know = (sent: SentSpan, id: string, recordedAt: Date): KnownSpan => {
  const { start, end, durationMs } = sent
  const startedAt = start ?? (end ? minus(end, durationMs ?? 0) : minus(recordedAt, durationMs ?? 0))
  const said = end ?? (durationMs === undefined ? undefined : new Date(startedAt.getTime() + durationMs))
  // Clocks of two machines may disagree; a span does not end before it starts.
  const endedAt = said && said < startedAt ? startedAt : said
  const between = endedAt && endedAt.getTime() - startedAt.getTime()
  // The times are kept to the millisecond; a duration that says the same more exactly is believed.
  const exact = durationMs !== undefined && between !== undefined && Math.abs(durationMs - between) <= 1
  return {
    ...sent,
    id,
    recordedAt,
    startedAt,
    endedAt,
    tookMs: exact ? durationMs : between,
    genAi: viewOf(sent),
    entities: { ...impliedEntities(sent), ...sent.entities },
  }
}

/** An agent may be named for the whole process, in the resource that its spans come from. */
export const viewOf = ({ attributes, kind, otlp }: Pick<SentSpan, 'attributes' | 'kind' | 'otlp'>) => {
  const resource = Object.entries(objectOf(objectAt(otlp, 'resource', 'attributes')))
  const agent = resource.filter(([name]) => name.startsWith('gen_ai.agent.'))
  return readGenAi({ ...Object.fromEntries(agent), ...attributes }, kind ?? null)
}

const objectAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, field) => new Map(Object.entries(objectOf(at))).get(field), value)

const minus = (time: Date, ms: number) => new Date(Math.max(time.getTime() - ms, Date.UTC(1000, 0, 1)))

const maxType = 100
const maxId = 400
const maxEntities = 50

/**
 * The records that a span is about: `entities` (an object, or JSON of one), `entity.<type>`, and the agent and
 * conversation that the conventions name.
 */
export const impliedEntities = (sent: SentSpan): Record<string, string> => {
  const { attributes } = sent
  const found: [string, unknown][] = []
  const view = viewOf(sent)
  if (view?.agent_name) found.push(['agent', view.agent_name])
  if (view?.conversation_id) found.push(['conversation', view.conversation_id])
  found.push(...Object.entries(objectOf(attributes.entities)))
  for (const [name, value] of Object.entries(attributes)) {
    const type = /^(?:diorama\.)?entity\.(.+)$/.exec(name)?.[1]
    if (type !== undefined) found.push([type, value])
  }
  const usable = found.flatMap(([type, value]) => {
    const id = typeof value === 'number' ? String(value) : value
    return typeof id === 'string' && id !== '' && id.length <= maxId && type.length <= maxType
      ? [[type, id] as const]
      : []
  })
  return Object.fromEntries(usable.slice(0, maxEntities))
}

const objectOf = (value: unknown): object => {
  if (isRecord(value)) return value
  if (typeof value !== 'string' || !value.startsWith('{')) return {}
  try {
    return objectOf(JSON.parse(value))
  } catch {
    return {}
  }
}

export const isError = ({ status }: { status: string | null | undefined }): boolean =>
  status != null && /^(error|failed|failure|errored|status_code_error)$/i.test(status)
