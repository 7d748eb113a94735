import { fault } from '../faults.ts'

/** Multipart bodies, as `$batch` nests them. */
export interface Part {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const maxParts = 250

export const boundaryOf = (contentType: string): string | undefined => {
  const match = /^multipart\/mixed\s*;.*\bboundary\s*=\s*(?:"([^"]{1,200})"|([^\s;,"]{1,200}))/i.exec(
    contentType,
  )
  return match?.[1] ?? match?.[2]
}

/** Cuts a body at its boundary. Lines may end in CRLF, as they should, or in LF. */
export const parseMultipart = (body: string, boundary: string): Part[] => {
  const lines = body.split('\n')
  const clean = (line: string) => line.replace(/\r$/, '').trimEnd()
  const parts: Part[] = []
  let start: number | undefined
  for (const [n, line] of lines.entries()) {
    const text = clean(line)
    const closing = text === `--${boundary}--`
    if (!closing && text !== `--${boundary}`) continue
    if (start !== undefined)
      parts.push(
        parsePart(
          lines
            .slice(start, n)
            .join('\n')
            .replace(/\r?\n?$/, ''),
        ),
      )
    if (parts.length > maxParts) throw fault('too_large', { limit: maxParts, what: 'parts' })
    if (closing) return parts
    start = n + 1
  }
  throw fault('batch_malformed', { reason: 'the closing boundary is missing' })
}

/** A part, or an HTTP message without its first line: headers, an empty line, a body. */
export const parsePart = (text: string): Part => {
  const { head, rest } = headAndRest(text)
  return { headers: parseHeaders(head), body: rest }
}

const headAndRest = (text: string): { head: string; rest: string } => {
  if (/^\r?\n/.test(text)) return { head: '', rest: text.replace(/^\r?\n/, '') }
  const match = /\r?\n\r?\n/.exec(text)
  return match
    ? { head: text.slice(0, match.index), rest: text.slice(match.index + match[0].length) }
    : { head: text, rest: '' }
}

const parseHeaders = (head: string): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return headers
}

export interface HttpMessage extends Part {
  readonly method: string
  readonly url: string
}

/** The request inside an `application/http` part. */
export const parseRequest = (text: string): HttpMessage => {
  const trimmed = text.replace(/^(\r?\n)+/, '')
  const end = trimmed.search(/\r?\n/)
  const line = end === -1 ? trimmed : trimmed.slice(0, end)
  const match = /^([A-Za-z]+)\s+(\S.*?)(?:\s+HTTP\/\d\.\d)?\s*$/.exec(line)
  if (!match) throw fault('batch_malformed', { reason: 'a part holds no request line' })
  const after = end === -1 ? '' : trimmed.slice(end).replace(/^\r?\n/, '')
  return { method: (match[1] ?? '').toUpperCase(), url: match[2] ?? '', ...parsePart(after) }
}

/** Joins parts, each already written with its headers, by CRLF and a boundary. */
export const composeMultipart = (parts: readonly string[], boundary: string): string =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
