import { isRecord } from '@diorama/contract/records'
/** Reading JSON that others wrote: what is missing or has another type reads as nothing. */
export type Json = Readonly<Record<string, unknown>>

export const object = (value: unknown): Json => (isRecord(value) ? value : {})

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0

export const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The data of each server-sent event, parsed; `[DONE]` and comments are left out. */
export const eventsIn = (stream: string): unknown[] =>
  stream.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
      .join('\n')
    const value = parsed(data)
    return value === undefined ? [] : [value]
  })

/** One server-sent event. */
export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
