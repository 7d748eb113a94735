import { createHash } from 'node:crypto'

/** Fields that say who asks or how the provider should run the request, and nothing of what is asked. */
const volatileFields = new Set([
  'user',
  'metadata',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'store',
  'stream_options',
])
/** Times this long after a clock was set, or a little before, are taken for that clock's. */
const afterClockMs = 3 * 3_600_000
const beforeClockMs = 300_000
const maxDepth = 60

export interface CanonicalRequest {
  /** SHA-256 of the canonical form. */
  readonly sha256: string
  readonly canonical: string
  /** What was masked, in the order of the canonical form. */
  readonly volatile: readonly string[]
}

export interface CanonicalParts {
  readonly operation: string
  readonly model: string | null
  readonly stream: boolean
  readonly body: unknown
  /** When the clocks that an agent can read started, in milliseconds: the real one, and the world's. */
  readonly clocks: readonly number[]
}

/**
 * A request as cassettes know it. Keys are sorted, fields that do not ask for anything are left out, and what differs
 * from one trial to the next without anybody wanting it is masked: ids of trials, twins and requests, UUIDs, marks of
 * fences, and times that a clock of the trial shows. Other times and dates stay, since they belong to the task.
 */
export const canonicalRequest = (parts: CanonicalParts): CanonicalRequest => {
  const volatile: string[] = []
  const mask = masker(parts.clocks, volatile)
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return mask(value)
    if (typeof value === 'number') return isClock(value, parts.clocks) ? mask(String(value)) : value
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1))
    const entries = Object.entries(value)
      .filter(([key]) => depth > 0 || !volatileFields.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries.map(([key, item]) => [key, walk(item, depth + 1)]))
  }
  const { operation, model, stream, body } = parts
  const canonical = JSON.stringify({ operation, model, stream, body: walk(body, 0) })
  return { canonical, volatile, sha256: sha256Of(canonical) }
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

const pattern = new RegExp(
  [
    String.raw`(?<id>\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b)`,
    String.raw`(?<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)`,
    String.raw`(?<mark>\bdata-[0-9a-f]{32}\b)`,
    String.raw`(?<moment>\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)`,
    String.raw`(?<day>\b\d{4}-\d{2}-\d{2}\b)`,
    String.raw`(?<unix>(?<![\w.])(?:1[4-9]|2[01])\d{8}(?:\d{3}|\d{6})?(?:\.\d{1,9})?(?!\w))`,
    String.raw`(?<link>\bp(?:1[4-9]|2[01])\d{14}\b)`,
  ].join('|'),
  'g',
)

const masker = (clocks: readonly number[], volatile: string[]) => {
  const hide = (value: string, as: string): string => {
    volatile.push(value)
    return `«${as}»`
  }
  return (text: string): string =>
    text.replaceAll(pattern, (value, ...rest) => {
      const groups = rest.at(-1) as Record<string, string | undefined>
      if (groups.id !== undefined) return hide(value, 'id')
      if (groups.uuid !== undefined) return hide(value, 'uuid')
      if (groups.mark !== undefined) return hide(value, 'mark')
      if (groups.day !== undefined) return isDayOf(value, clocks) ? hide(value, 'day') : value
      const ms = groups.moment === undefined ? Number(value.replace(/^p/, '')) : momentOf(value)
      return isClock(ms, clocks) ? hide(value, 'time') : value
    })
}

/** A time without a zone is taken as UTC. */
const momentOf = (text: string): number => {
  const iso = text.replace(' ', 'T')
  return Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(iso) ? iso : `${iso}Z`)
}

/** Whether a number is a time of one of the clocks, in seconds, milliseconds or microseconds. */
const isClock = (value: number, clocks: readonly number[]): boolean => {
  const ms = value < 1e11 ? value * 1_000 : value < 1e14 ? value : value / 1_000
  return clocks.some((clock) => ms >= clock - beforeClockMs && ms <= clock + afterClockMs)
}

const isDayOf = (day: string, clocks: readonly number[]): boolean =>
  clocks.some((clock) =>
    [0, afterClockMs].some((ahead) => new Date(clock + ahead).toISOString().startsWith(day)),
  )

/** Values of a recording beside those of the request that is answered by it, where they differ. */
export const rebinding = (
  recorded: readonly string[],
  current: readonly string[],
): ReadonlyMap<string, string> => {
  const map = new Map<string, string>()
  for (const [n, old] of recorded.entries()) {
    const now = current[n]
    if (now !== undefined && now !== old && !map.has(old)) map.set(old, now)
  }
  return map
}

/** A recorded text as it would have been said now. */
export const rebound = (text: string, map: ReadonlyMap<string, string>): string => {
  if (map.size === 0) return text
  // Longest first, so that a day does not change a moment that begins with it; one pass, so that nothing changes twice.
  const keys = [...map.keys()].sort((a, b) => b.length - a.length)
  const all = new RegExp(keys.map((key) => key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
  return text.replaceAll(all, (found) => map.get(found) ?? found)
}
