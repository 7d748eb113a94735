import type { Event, TaskFromTrace, Trace } from '@diorama/contract'
import { ApiError } from '../http/api-error.ts'
import type { TaskRow } from './store.ts'
import type { Suites } from './suites.ts'
import { storyOf, type TraceStory } from './trace-events.ts'

export interface TaskDraft {
  readonly title: string
  readonly instruction: string
  readonly expected_outcome: string
}

export interface FromTraceParts {
  readonly suites: Suites
  /** The trace, and the events that name it; undefined where the organization has none such. */
  readonly recorded: (
    organizationId: string,
    traceId: string,
    maxEvents: number,
  ) => Promise<{ trace: Trace; events: readonly Omit<Event, 'signals'>[] } | undefined>
  /** A draft by a model; undefined where a plain one has to do. */
  readonly draft: (
    material: {
      organizationId: string
      name: string
      request: string
      shown: unknown
      heldBack: unknown
      notes: string | null
    },
    signal: AbortSignal,
  ) => Promise<TaskDraft | undefined>
}

const maxEvents = 2_000
const maxBytes = 4 * 1_048_576

/** Makes a task of a recorded trace: what happened before the last answer is given, the rest is the reference. */
export const openFromTrace =
  ({ suites, recorded, draft }: FromTraceParts) =>
  async (
    organizationId: string,
    suiteId: string,
    { trace_id, notes }: TaskFromTrace,
    signal: AbortSignal,
  ): Promise<TaskRow> => {
    const suite = await suites.open(organizationId, suiteId)
    const found = await recorded(organizationId, trace_id, maxEvents + 1)
    if (!found) throw badTrace('names no trace that was recorded')
    const story = storyOf(found.trace, found.events)
    refuseTooLarge(found.trace, story)
    const cutoff = cutoffOf(story)
    const material = {
      organizationId,
      name: found.trace.name,
      request: story.request,
      shown: story.events.slice(0, cutoff + 1),
      heldBack: story.events.slice(cutoff + 1),
      notes,
    }
    const drafted = (await draft(material, signal)) ?? plainDraft(found.trace.name, story, notes)
    return suites.addTask(suite, {
      title: drafted.title.slice(0, 300),
      instruction: drafted.instruction.slice(0, 100_000),
      expected_outcome: drafted.expected_outcome.slice(0, 100_000),
      environment_version_id: null,
      cutoff_event_id: story.events[cutoff]?.id ?? null,
      turns: null,
      crowding: 0,
      traceId: trace_id,
      events: story.events,
      bindings: [],
    })
  }

/** The last event that the agent may see: the one before the last answer, or, without any, before the very last. */
const cutoffOf = ({ answerAt, events }: TraceStory): number =>
  (answerAt === -1 ? events.length - 1 : answerAt) - 1

const refuseTooLarge = ({ truncated }: Trace, { events }: TraceStory): void => {
  if (events.length === 0) throw badTrace('names a trace in which nothing happened yet')
  if (truncated || events.length > maxEvents)
    throw new ApiError('limit_exceeded', `A task takes traces of at most ${maxEvents} events and spans.`)
  if (Buffer.byteLength(JSON.stringify(events)) > maxBytes)
    throw new ApiError('limit_exceeded', `A task takes traces of at most ${maxBytes} bytes.`)
}

const badTrace = (message: string) =>
  new ApiError('invalid_reference', `/trace_id ${message}.`, {
    details: [{ pointer: '/trace_id', message }],
  })

/** The words of the trace itself. Notes tell what a good answer needs, so the agent does not get to see them. */
const plainDraft = (name: string, { request, answer }: TraceStory, notes: string | null): TaskDraft => {
  const expected = [
    ...(notes?.trim() ? [notes.trim()] : []),
    ...(answer === '' ? [] : [`The recorded answer:\n${answer}`]),
  ]
  return {
    title: titleOf(request) || name.slice(0, 120),
    instruction:
      request || `Go on with "${name}" from the recorded events, and give the answer that is due next.`,
    expected_outcome:
      expected.join('\n\n') || `What happened next in "${name}" is done, or something as good.`,
  }
}

/** The first sentence of a request, cut between words. */
const titleOf = (request: string): string => {
  const [line = ''] = request.trim().split('\n')
  const [sentence = line] = line.split(/(?<=[.!?])\s/)
  if (sentence.length <= 100) return sentence.replace(/[.!]$/, '')
  return `${sentence.slice(0, 100).replace(/\s+\S*$/, '')}…`
}
