import { isRecord } from '@diorama/twin-kit/records'

export type Json = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Json => (isRecord(value) ? value : {})
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const maxReferences = 20

/** Follows references within a document; undefined where one leads nowhere or in a circle. */
export const resolved = (document: Json, value: unknown): Json | undefined => {
  let found: unknown = value
  for (let n = 0; n < maxReferences; n++) {
    if (!isRecord(found)) return undefined
    const reference = textOf(found.$ref)
    if (reference === undefined) return found
    if (!reference.startsWith('#/')) return undefined
    found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (at, part) => objectOf(at)[decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      )
  }
  return undefined
}

/** What a part of an address means; one that is not well encoded means itself. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The segments of a path, without empty ones. */
export const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')
