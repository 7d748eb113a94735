import type { EventCondition } from '@diorama/contract/blueprint/moving'
import { durationMs } from '@diorama/contract/durations'
import { integration, type Notice } from '@diorama/twin-kit/kernel/twin'
import type { ShownChange } from '../../twins/isolates/inspect.ts'
import type { SeenStep } from './planned.ts'
import { mentionsAny } from './words.ts'

type Request = NonNullable<EventCondition['request']>
type RecordValue = NonNullable<EventCondition['record']>
type Message = NonNullable<EventCondition['message']>
type Quiet = NonNullable<EventCondition['quiet']>

/** In conditions the integration is called the agent. */
const isActor = (wanted: string | null, subject: string | undefined): boolean =>
  wanted === null || subject === (wanted === 'agent' ? integration : wanted)

/** A name without its verb, such as `issueUpdate` for `mutation IssueUpdate`, names the operation as well. */
const isOperation = (wanted: string | null, recorded: string): boolean => {
  if (wanted === null || wanted === recorded) return true
  const names = recorded.slice(recorded.indexOf(' ') + 1).split(', ')
  return names.includes(wanted.charAt(0).toUpperCase() + wanted.slice(1))
}

/** Whether a step makes a condition true. */
export const conditionHolds = ({ request, record, message }: EventCondition, step: SeenStep): boolean => {
  if (request) return requestFits(request, step)
  if (record)
    return record.service === step.service && step.shown.some((change) => recordFits(record, change))
  return message ? step.notices.some((notice) => messageFits(message, notice)) : false
}

const requestFits = ({ service, operation, actor, succeeded }: Request, step: SeenStep): boolean =>
  service === step.service &&
  isOperation(operation, step.operation) &&
  isActor(actor, step.subject) &&
  (succeeded === null || succeeded !== step.failed)

const recordFits = (wanted: RecordValue, change: ShownChange): boolean => {
  const { after } = change
  if (!after) return false
  if (wanted.collection !== null && !change.kinds.includes(wanted.collection)) return false
  if (wanted.key !== null && change.key !== wanted.key) return false
  const value = valueAt(after, wanted.field)
  if (wanted.contains !== null) return typeof value === 'string' && value.includes(wanted.contains)
  return wanted.equals === undefined ? value !== undefined && value !== null : value === wanted.equals
}

/** A field of a record, or one inside it by its path with dots. */
const valueAt = (record: Readonly<Record<string, unknown>>, path: string): unknown => {
  if (path in record) return record[path]
  let value: unknown = record
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return value
}

const messageFits = ({ to, from, about }: Message, notice: Notice): boolean =>
  notice.to === to && isActor(from, notice.from) && (about.length === 0 || mentionsAny(notice.text, about))

/** Whether the step is one of those whose absence is waited for. */
export const isQuietBroken = ({ service, operation, actor }: Quiet, step: SeenStep): boolean =>
  (service === null || service === step.service) &&
  isOperation(operation, step.operation) &&
  (actor === null ? step.cause === null : isActor(actor, step.subject))

export const lengthOfQuiet = (quiet: Quiet): number => durationMs(quiet.for) ?? 0
