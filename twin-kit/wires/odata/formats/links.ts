import { type EdmRow, type EntitySet, propertyOf } from '../model.ts'
import { heldValue, uriLiteral } from '../values/values.ts'

/** The canonical path of an entity below its service: `Orders('1')`, `Items(Order='1',Item='10')`. */
export const entityPath = (set: EntitySet, row: EdmRow): string => {
  const { type } = set
  const [only] = type.keys
  const literal = (key: string) => {
    const property = propertyOf(type, key)
    return uriLiteral(property, heldValue(row, property))
  }
  if (type.keys.length === 1 && only !== undefined) return `${set.name}(${literal(only)})`
  return `${set.name}(${type.keys.map((key) => `${key}=${literal(key)}`).join(',')})`
}

/** An entity's version as a weak ETag; undefined where its type has none. */
export const etagOf = (set: EntitySet, row: EdmRow): string | undefined => {
  const { type } = set
  if (type.version === undefined) return undefined
  const property = propertyOf(type, type.version)
  const value = heldValue(row, property)
  return value === null ? `W/"''"` : `W/"${uriLiteral(property, value)}"`
}

/** Whether an If-Match or If-None-Match names this version. Clients send it as it came, or decoded. */
export const matches = (header: string, etag: string): boolean => {
  const plain = decodeLoosely(etag)
  return header
    .split(/,(?=\s*(?:W\/)?")/)
    .map((candidate) => candidate.trim())
    .some((candidate) => candidate === '*' || decodeLoosely(candidate) === plain)
}

const decodeLoosely = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
