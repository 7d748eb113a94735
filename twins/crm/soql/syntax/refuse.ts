import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Missing } from '../../schema/standard-names.ts'

const before = 30
const after = 40

/** Points at a place of the query in the service's way: a window of the text, a caret, the row and the column. */
export const refuseAt = (
  text: string,
  at: number,
  code: string,
  message: string,
  missing?: Missing,
): VendorError => {
  const place = Math.min(Math.max(at, 0), text.length)
  const row = text.slice(0, place).split('\n').length
  const lineStart = text.lastIndexOf('\n', place - 1) + 1
  const lineEnd = text.indexOf('\n', place)
  const column = place - lineStart + 1
  const start = Math.max(lineStart, wordStart(text, place - before))
  const end = Math.min(lineEnd === -1 ? text.length : lineEnd, place + after)
  const window = text.slice(start, end)
  return new VendorError(
    code,
    `\n${window}\n${' '.repeat(place - start)}^\nERROR at Row:${row}:Column:${column}\n${message}`,
    { status: 400, ...(missing ? { data: { missing } } : {}) },
  )
}

/** The window begins at a word rather than in the middle of one. */
const wordStart = (text: string, at: number): number => {
  if (at <= 0) return 0
  const space = text.indexOf(' ', at)
  return space === -1 || space > at + before ? at : space + 1
}

export const unexpected = (text: string, at: number, token: string): VendorError =>
  refuseAt(text, at, 'MALFORMED_QUERY', `unexpected token: ${token === '' ? '<EOF>' : `'${token}'`}`)

export const malformed = (message: string): VendorError =>
  new VendorError('MALFORMED_QUERY', message, { status: 400 })

const wsdl = 'Please reference your WSDL or the describe call for the appropriate names.'

export const noSuchColumn = (column: string, entity: string): string =>
  `No such column '${column}' on entity '${entity}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. ${wsdl}`

export const noSuchRelation = (relation: string): string =>
  `Didn't understand relationship '${relation}' in field path. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. ${wsdl}`

export const noSuchChild = (relation: string): string =>
  `Didn't understand relationship '${relation}' in FROM part of query call. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. ${wsdl}`

export const noSuchObject = (object: string): string =>
  `sObject type '${object}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. ${wsdl}`
