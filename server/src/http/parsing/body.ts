import { promisify } from 'node:util'
import { gunzip as gunzipCallback, inflate as inflateCallback } from 'node:zlib'
import type { ErrorDetail } from '@diorama/contract'
import { escapePointer } from '@diorama/contract/fields'
import { ApiError } from '../api-error.ts'

const gunzip = promisify(gunzipCallback)
const inflate = promisify(inflateCallback)
const maxDepth = 100
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Takes off a body's content encoding, and never makes it larger than the limit. */
export const decodeBody = async (
  bytes: Uint8Array,
  encoding: string | undefined,
  limit: number,
): Promise<Uint8Array> => {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return bytes
  const inflater =
    encoding === 'gzip' || encoding === 'x-gzip' ? gunzip : encoding === 'deflate' ? inflate : undefined
  if (!inflater)
    throw new ApiError(
      'unsupported_media_type',
      `Content encoding ${encoding} is not taken; use gzip or none.`,
    )
  try {
    return await inflater(bytes, { maxOutputLength: limit })
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(limit)
    throw new ApiError('malformed', `The body is not valid ${encoding}.`, { cause })
  }
}

export const tooLarge = (limit: number): ApiError =>
  new ApiError('too_large', `The body is larger than ${limit} bytes.`)

/** JSON of a bounded depth whose text the database can hold; a fault names its place. */
export const parseJson = (bytes: Uint8Array): unknown => {
  if (bytes.length === 0) throw new ApiError('malformed', 'The request needs a JSON body.')
  let value: unknown
  let text: string
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : 'it is not UTF-8'
    throw new ApiError('malformed', `The body is not valid JSON: ${reason}.`, { cause })
  }
  const suspicious = /\\u(0000|[dD][89a-fA-F])/.test(text)
  const fault = suspicious || !isShallow(value, 0) ? textFault(value, suspicious) : undefined
  if (fault)
    throw new ApiError('malformed', `${fault.pointer || 'The body'} ${fault.message}.`, { details: [fault] })
  return value
}

/** Whether nothing is nested too deep; it looks no deeper than that itself. */
const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (depth >= maxDepth) return false
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && !isShallow(item, depth + 1)) return false
    return true
  }
  for (const item of Object.values(value))
    if (typeof item === 'object' && !isShallow(item, depth + 1)) return false
  return true
}

type Place = { value: unknown; parent: Place | undefined; field: string; depth: number }

/** Walks without recursion, so that no nesting can exhaust the stack. */
const textFault = (root: unknown, checkText: boolean): ErrorDetail | undefined => {
  const places: Place[] = [{ value: root, parent: undefined, field: '', depth: 0 }]
  for (let place = places.pop(); place; place = places.pop()) {
    const { value } = place
    if (typeof value === 'string') {
      const message = checkText ? unfit(value) : undefined
      if (message) return { pointer: pointerOf(place), message }
    } else if (typeof value === 'object' && value !== null) {
      if (place.depth >= maxDepth)
        return { pointer: pointerOf(place).slice(0, 200), message: `is nested deeper than ${maxDepth}` }
      for (const [field, item] of Object.entries(value)) {
        const inner = { value: item, parent: place, field, depth: place.depth + 1 }
        const message = checkText ? unfit(field) : undefined
        if (message) return { pointer: pointerOf(place), message: `has a field name that ${message}` }
        if (typeof item === 'string' ? checkText : typeof item === 'object') places.push(inner)
      }
    }
  }
  return undefined
}

/** Why the database cannot hold a text, if it cannot. */
export const unfit = (text: string): string | undefined =>
  text.includes('\0')
    ? 'holds a NUL character'
    : text.isWellFormed()
      ? undefined
      : 'holds half of a surrogate pair'

const pointerOf = (place: Place): string => {
  const fields: string[] = []
  for (let at: Place | undefined = place; at?.parent; at = at.parent) fields.unshift(escapePointer(at.field))
  return fields.map((field) => `/${field}`).join('')
}
