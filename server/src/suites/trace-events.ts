import type { Event, Span, TaskEvent, Trace } from '@diorama/contract'

/** What happened in a trace, in the order in which it became known, and where the last answer of the agent stands. */
export interface TraceStory {
  readonly events: readonly TaskEvent[]
  /** The index of the last answer; -1 where there is none. */
  readonly answerAt: number
  /** What the agent was first asked, as far as the trace says. */
  readonly request: string
  readonly answer: string
}

interface Known {
  readonly at: string
  readonly order: number
  readonly event: TaskEvent
  readonly answers: boolean
}

/**
 * A span stands where it ended, since only then its content was known: the span around a whole run holds the answer,
 * and would give it away if it stood where it began. What a root was given to begin with stands at its start.
 */
export const storyOf = (trace: Trace, events: readonly Omit<Event, 'signals'>[]): TraceStory => {
  const answering = new Set(trace.spans.filter(isAnswer).map(({ span_id }) => span_id))
  const enclosing = enclosingOf(trace.spans, answering)
  const known: Known[] = [
    ...trace.spans.flatMap((span) => beginning(span, trace.source)),
    ...trace.spans.map((span) => ({
      at: span.ended_at ?? span.started_at,
      // Among those that end together the inner ones are known first.
      order: 1_000_000 - span.depth,
      event: spanEvent(span, trace.source),
      answers: answering.has(span.span_id) && !enclosing.has(span.span_id),
    })),
    ...events.map((event) => ({
      at: event.event_time,
      order: 0,
      event: sentEvent(event),
      answers: answeringEvent.test(event.event_type),
    })),
  ]
  known.sort((a, b) => (a.at === b.at ? a.order - b.order : a.at < b.at ? -1 : 1))
  const answerAt = known.findLastIndex(({ answers }) => answers)
  return {
    events: known.map(({ event }) => event),
    answerAt,
    request: requestOf(trace.spans, events),
    answer: answerAt === -1 ? '' : plainText(answerOf(known[answerAt]?.event)),
  }
}

const answeringEvent = /(^|[._-])(answer|answered|reply|replied|response|responded)$/i
const asking = /(^|[._-])(request|requested|question|asked|ask|prompt)$/i
const answerFields = ['output', 'answer', 'response', 'reply', 'completion', 'result'] as const
const inputFields = ['input', 'question', 'request', 'prompt', 'instruction', 'query'] as const

const isTool = ({ gen_ai, kind }: Span): boolean =>
  gen_ai?.operation === 'execute_tool' || gen_ai?.tool_name != null || /^tool/i.test(kind ?? '')

const outputOf = ({ gen_ai, attributes }: Span): unknown =>
  gen_ai?.output ?? fieldOf(attributes, answerFields) ?? null
const inputOf = ({ gen_ai, attributes }: Span): unknown =>
  gen_ai?.input ?? fieldOf(attributes, inputFields) ?? null

const isAnswer = (span: Span): boolean => !isTool(span) && plainText(outputOf(span)) !== ''

/** The spans that have an answering span somewhere inside them. */
const enclosingOf = (spans: readonly Span[], answering: ReadonlySet<string>): ReadonlySet<string> => {
  const parents = new Map(spans.map(({ span_id, parent_span_id }) => [span_id, parent_span_id]))
  const found = new Set<string>()
  for (const id of answering) {
    let above = parents.get(id) ?? null
    // A ring of parents ends at the first span that was met before.
    while (above !== null && !found.has(above)) {
      found.add(above)
      above = parents.get(above) ?? null
    }
  }
  return found
}

const beginning = (span: Span, source: string | null): Known[] => {
  if (span.depth > 0) return []
  const event: TaskEvent = {
    id: `${span.id}.start`,
    kind: 'span',
    time: span.started_at,
    name: span.name,
    source,
    content: { phase: 'start', input: inputOf(span) },
  }
  return [{ at: span.started_at, order: -1, event, answers: false }]
}

const spanEvent = (span: Span, source: string | null): TaskEvent => ({
  id: span.id,
  kind: 'span',
  time: span.ended_at ?? span.started_at,
  name: span.name,
  source,
  content: {
    span_id: span.span_id,
    parent_span_id: span.parent_span_id,
    kind: span.kind,
    status: span.status,
    started_at: span.started_at,
    duration_ms: span.duration_ms,
    attributes: span.attributes,
    ...(isTool(span) ? {} : { output: outputOf(span) }),
  },
})

const sentEvent = (event: Omit<Event, 'signals'>): TaskEvent => ({
  id: event.id,
  kind: 'event',
  time: event.event_time,
  name: event.event_type,
  source: event.source,
  content: { topic: event.topic, payload: event.payload, entities: event.entities },
})

const answerOf = (event: TaskEvent | undefined): unknown => event?.content.output ?? event?.content.payload

const requestOf = (spans: readonly Span[], events: readonly Omit<Event, 'signals'>[]): string => {
  const byStart = [...spans].sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
  for (const span of byStart) {
    const text = isTool(span) ? '' : userText(inputOf(span))
    if (text !== '') return text
  }
  const asked = events.find(({ event_type }) => asking.test(event_type))
  return asked ? plainText(fieldOf(asked.payload, [...inputFields, 'text', 'message']) ?? asked.payload) : ''
}

const fieldOf = (holder: Readonly<Record<string, unknown>>, names: readonly string[]): unknown =>
  names.map((name) => holder[name]).find((value) => value !== undefined && value !== null && value !== '')

/** Of a list of messages the user's last one; of anything else its text. */
const userText = (value: unknown): string => {
  if (!Array.isArray(value)) return plainText(value)
  const users = value.filter((one) => roleOf(one) === 'user')
  return plainText(users.length > 0 ? users.at(-1) : value)
}

const roleOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined

const maxDepth = 12
const textFields = ['text', 'content', 'parts', 'message', 'messages', 'value', ...answerFields]

/** The words of a message in whichever form it was recorded, without roles, ids and calls of tools. */
export const plainText = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'object' || value === null || depth > maxDepth) return ''
  const parts = Array.isArray(value)
    ? value
    : Object.entries(value).flatMap(([name, part]) =>
        textFields.includes(name.split('.').at(-1) ?? '') ? [part] : [],
      )
  return parts
    .map((part) => plainText(part, depth + 1))
    .filter((text) => text !== '')
    .join('\n')
}
