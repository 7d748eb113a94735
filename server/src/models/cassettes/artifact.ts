import { jsonIn } from '@diorama/contract/records'
import { z } from 'zod'
import { ApiError } from '../../http/api-error.ts'
import { sha256Of } from './canonical.ts'
import { type CassetteEntry, Recording } from './recording.ts'

const format = 'diorama-cassette'
const maxEntries = 100_000

const Header = z.object({ format: z.literal(format), version: z.literal(1), name: z.string() })
const Line = z.object({
  scope: z.string().max(1_000),
  ordinal: z.int().min(0).max(1_000_000),
  recording: Recording,
})

/** A cassette as a file: a line with its facts, then its entries in one order, so that a version control shows changes. */
export const artifactOf = (name: string, entries: readonly CassetteEntry[]): string => {
  const lines = entries
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    .map(({ scope, ordinal, recording }) => JSON.stringify({ scope, ordinal, recording }))
  return `${[JSON.stringify({ format, version: 1, name }), ...lines].join('\n')}\n`
}

const placeOf = ({ scope, requestSha256, ordinal }: CassetteEntry): string =>
  `${scope}\n${requestSha256}\n${String(ordinal).padStart(9, '0')}`

/** The entries of such a file. Every line is checked, and requests are hashed again rather than believed. */
export const entriesOf = (text: string): CassetteEntry[] => {
  const [head = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '')
  if (!Header.safeParse(jsonIn(head)).success)
    throw bad(1, `is not the first line of an exported cassette, which has the format ${format}, version 1`)
  if (lines.length > maxEntries) throw bad(1, `is followed by more than ${maxEntries} entries`)
  return lines.map((line, n) => {
    const parsed = Line.safeParse(jsonIn(line))
    if (!parsed.success) throw bad(n + 2, `does not fit: ${z.prettifyError(parsed.error).slice(0, 300)}`)
    return { ...parsed.data, requestSha256: sha256Of(parsed.data.recording.request) }
  })
}

const bad = (line: number, message: string): ApiError =>
  new ApiError('invalid_reference', `Line ${line} ${message}.`, {
    details: [{ pointer: `/${line}`, message }],
  })
