import { type ArgumentLimits, factsOf } from './catalogue.ts'
import { invalidArguments } from './method.ts'

/** Arguments whose bad values have their own error, or that clients are seen to send out of bounds. */
const ownErrors: ReadonlySet<string> = new Set([
  'users.setPresence presence',
  'usergroups.list team_id',
  'conversations.replies limit',
  'files.getUploadURLExternal length',
  'slackLists.items.list limit',
])

/** Refuses arguments outside the bounds that the reference states for them. */
export const requireLimits = (method: string, args: Readonly<Record<string, unknown>>): void => {
  const faults: string[] = []
  for (const [name, limits] of Object.entries(factsOf(method)?.limits ?? {})) {
    const value = args[name]
    if (value === undefined || value === null || ownErrors.has(`${method} ${name}`)) continue
    const fault = faultOf(value, limits)
    if (fault !== undefined) faults.push(`${fault} [json-pointer:/${name}]`)
  }
  if (faults.length > 0) throw invalidArguments(...faults)
}

const faultOf = (value: unknown, limits: ArgumentLimits): string | undefined => {
  const { minItems, maxItems, minLength, maxLength, minimum, maximum } = limits
  if (minItems !== undefined || maxItems !== undefined) {
    const count = countOf(value)
    if (minItems !== undefined && count < minItems) return `must provide at least ${minItems} items`
    if (maxItems !== undefined && count > maxItems) return `no more than ${maxItems} items allowed`
  }
  if (limits.enum && !limits.enum.includes(String(value))) return 'must be a valid enum value'
  const { length } = typeof value === 'string' ? value : JSON.stringify(value)
  if (minLength !== undefined && length < minLength) return `must be more than ${minLength - 1} characters`
  if (maxLength !== undefined && length > maxLength) return `must be less than ${maxLength + 1} characters`
  if (minimum !== undefined && Number(value) < minimum) return `must be greater than ${minimum}`
  if (maximum !== undefined && Number(value) > maximum) return `must be less than ${maximum}`
  return undefined
}

/** Lists come as lists, as JSON text, or as text with commas. */
const countOf = (value: unknown): number => {
  if (Array.isArray(value)) return value.length
  const text = String(value).trim()
  if (!text.startsWith('[')) return text.split(',').filter((item) => item.trim() !== '').length
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed.length : 1
  } catch {
    return 1
  }
}
