import { isRecord } from '@diorama/contract/records'
/** Reading JSON that others wrote: what is missing or has another type reads as nothing. */
export type Json = Readonly<Record<string, unknown>>

export const object = (value: unknown): Json => (isRecord(value) ? value : {})

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0

/** One server-sent event. */
export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
