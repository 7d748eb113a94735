/** A time zone as the service shows it: how it is called, and how far it is from UTC at a moment. */
export interface Zone {
  readonly label: string
  readonly offsetSeconds: number
}

const utc: Zone = { label: 'Coordinated Universal Time', offsetSeconds: 0 }

export const zoneAt = (timeZone: string, atMs: number): Zone => {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
      atMs,
    )
    const named = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'long' }).formatToParts(atMs)
    return { label: zoneName(named) ?? timeZone, offsetSeconds: readOffset(zoneName(parts) ?? 'GMT') }
  } catch (error) {
    if (error instanceof RangeError) return utc
    throw error
  }
}

const zoneName = (parts: readonly Intl.DateTimeFormatPart[]): string | undefined =>
  parts.find(({ type }) => type === 'timeZoneName')?.value

const readOffset = (text: string): number => {
  const found = /GMT([+-])(\d{2}):(\d{2})/.exec(text)
  if (!found) return 0
  const seconds = Number(found[2]) * 3_600 + Number(found[3]) * 60
  return found[1] === '-' ? -seconds : seconds
}

/** The day of a moment in a zone, as YYYY-MM-DD. */
export const dayAt = (timeZone: string, atMs: number): string =>
  new Date(atMs + zoneAt(timeZone, atMs).offsetSeconds * 1_000).toISOString().slice(0, 10)
