import type { Context } from '../context.ts'
import { invalidArgument } from '../shapes/refusals.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * Longest texts, by type and property. The limit on a project's description was reported by its callers
 * (schpet/linear-cli#224); the others are chosen, wide enough that no ordinary text meets them.
 */
const maxLengths: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Project: { description: 255, name: 255 },
  Issue: { title: 512 },
  IssueLabel: { name: 255 },
  ProjectLabel: { name: 255 },
  InitiativeLabel: { name: 255 },
  ProjectMilestone: { name: 255 },
  Cycle: { name: 255 },
  Team: { name: 255 },
  WorkflowState: { name: 255 },
}

export const checkLengths = (type: string, input: Input): void => {
  for (const [property, max] of Object.entries(maxLengths[type] ?? {})) {
    const value = input[property]
    if (typeof value === 'string' && value.length > max)
      throw invalidArgument({
        target: { ...input },
        property,
        value,
        constraints: { maxLength: `${property} must be shorter than or equal to ${max} characters` },
      })
  }
}

/** A number that must lie between two others, in the words of the service's validator. */
export const checkBetween = (
  input: Input,
  property: string,
  { min, max }: { min: number; max: number },
): void => {
  const value = input[property]
  if (typeof value !== 'number' || (value >= min && value <= max)) return
  throw invalidArgument({
    target: { ...input },
    property,
    value,
    constraints:
      value > max
        ? { max: `${property} must not be greater than ${max}` }
        : { min: `${property} must not be less than ${min}` },
  })
}

/** Priorities of issues, projects and initiatives: none, urgent, high, medium, low. */
export const checkPriority = (input: Input): void => checkBetween(input, 'priority', { min: 0, max: 4 })

export const checkOneOf = (input: Input, property: string, values: readonly string[]): void => {
  const value = input[property]
  if (value === undefined || value === null || values.includes(String(value))) return
  throw invalidArgument({
    target: { ...input },
    property,
    value,
    constraints: { isIn: `${property} must be one of the following values: ${values.join(', ')}` },
  })
}

/** Properties of which at most one may be given. */
export const checkExclusive = (input: Input, properties: readonly string[]): void => {
  const given = properties.filter((property) => input[property] !== undefined && input[property] !== null)
  const [first, second] = given
  if (first === undefined || second === undefined) return
  throw invalidArgument({
    target: { ...input },
    property: second,
    value: input[second],
    constraints: { excludes: `${second} cannot be used together with ${first}` },
  })
}

/** A moment that must have passed; `now` is the world's. */
export const checkPast = (
  input: Input,
  property: string,
  { value, now }: { value: unknown; now: number },
): void => {
  if (typeof value !== 'string' || Date.parse(value) <= now) return
  throw invalidArgument({
    target: { ...input },
    property,
    value: input[property],
    constraints: { maxDate: `${property} must be a time in the past` },
  })
}

/** Names that only applications acting as themselves may set. */
export const checkActsAsUser = (call: Pick<Context, 'tables' | 'actor'>, input: Input): void => {
  if (call.actor && call.tables.User.get(call.actor.id)?.app === true) {
    if (typeof input.displayIconUrl === 'string' && typeof input.createAsUser !== 'string')
      throw invalidArgument({
        target: { ...input },
        property: 'displayIconUrl',
        value: input.displayIconUrl,
        constraints: { requires: 'displayIconUrl can only be used in conjunction with createAsUser' },
      })
    return
  }
  for (const property of ['createAsUser', 'displayIconUrl']) {
    if (typeof input[property] !== 'string') continue
    throw invalidArgument({
      target: { ...input },
      property,
      value: input[property],
      constraints: { appOnly: `${property} can only be used by OAuth applications in actor=app mode` },
    })
  }
}

/** Colours are written as `#` and three or six hexadecimal digits, or with four or eight where they have an alpha. */
export const checkColor = (input: Input): void => {
  const { color } = input
  if (typeof color !== 'string' || /^#?([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(color)) return
  throw invalidArgument({
    target: { ...input },
    property: 'color',
    value: color,
    constraints: { isHexColor: 'color must be a hexadecimal color' },
  })
}

/** An address that can be opened. */
export const checkUrl = (input: Input): void => {
  const { url } = input
  if (url === undefined || (URL.canParse(String(url)) && /^https?:$/.test(new URL(String(url)).protocol)))
    return
  throw invalidArgument({
    target: { ...input },
    property: 'url',
    value: url,
    constraints: { isUrl: 'url must be a URL address' },
  })
}
