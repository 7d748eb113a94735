import { LongPiece, textOf } from './lines.ts'

export interface CsvRow {
  /** From 1; the header is not counted. */
  readonly number: number
  readonly fields: Readonly<Record<string, string>>
}

const maxFieldChars = 8 << 20

/** The rows of a CSV file by the names in its first line; quoted fields may hold commas, quotes and line breaks. */
export async function* csvRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow> {
  let header: readonly string[] | undefined
  let number = 0
  for await (const fields of csvRecords(chunks)) {
    if (fields.length === 1 && fields[0] === '') continue
    if (!header) {
      header = fields.map((name) => name.trim())
      continue
    }
    number++
    yield { number, fields: Object.fromEntries(header.map((name, n) => [name, fields[n] ?? ''])) }
  }
}

async function* csvRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let record: string[] = []
  let field = ''
  let isQuoted = false
  let wasQuote = false
  let hasStarted = false
  for await (const text of textOf(chunks)) {
    for (const letter of text) {
      if (isQuoted && !wasQuote) {
        if (letter === '"') wasQuote = true
        else field += letter
        continue
      }
      if (isQuoted && letter === '"') {
        field += '"'
        wasQuote = false
        continue
      }
      if (wasQuote) {
        isQuoted = false
        wasQuote = false
      }
      if (letter === '"' && !hasStarted) {
        isQuoted = true
        hasStarted = true
      } else if (letter === ',') {
        record.push(field)
        field = ''
        hasStarted = false
      } else if (letter === '\n') {
        record.push(field.endsWith('\r') ? field.slice(0, -1) : field)
        yield record
        record = []
        field = ''
        hasStarted = false
      } else {
        field += letter
        hasStarted = true
      }
    }
    if (field.length > maxFieldChars) throw new LongPiece(maxFieldChars)
  }
  if (isQuoted && !wasQuote) throw new SyntaxError('ends inside a quoted field')
  if (record.length > 0 || field !== '') yield [...record, field]
}
