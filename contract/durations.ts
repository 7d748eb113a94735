const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** How a length of time is written: `90s`, `2h`, `1h30m`. */
export const durationPattern = '^([0-9]{1,7}[smhdw])+$'

const written = new RegExp(durationPattern)

/** Milliseconds; undefined for what is no length of time. */
export const durationMs = (text: string): number | undefined => {
  if (!written.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/([0-9]+)([smhdw])/g))
    total += Number(count) * (units[unit ?? ''] ?? 0)
  return total
}
