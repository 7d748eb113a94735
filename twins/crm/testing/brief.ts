type Json = Readonly<Record<string, unknown>>

/** A query's answer in one line: rows by `;`, values by `|`; an error by its code and its last line. */
export const brief = ({ status, body }: { status: number; body: unknown }): string => {
  if (status !== 200) {
    const [error] = body as Json[]
    const lines = String(error?.message).split('\n')
    const place =
      lines.find((line) => line.startsWith('ERROR at'))?.replace(/^ERROR at Row:1:Column:/, '@') ?? ''
    const last = (lines.at(-1) ?? '').replace(/ If you are attempting.*/, '')
    return `! ${String(error?.errorCode)} ${place} ${last}`.replace('  ', ' ')
  }
  const { records, totalSize } = body as { records: Json[]; totalSize: number }
  return records.length === 0 ? `#${totalSize}` : records.map(row).join('; ')
}

const row = (record: Json): string =>
  Object.entries(record)
    .filter(([name]) => name !== 'attributes')
    .map(([, value]) => cell(value))
    .join('|')

const cell = (value: unknown): string => {
  if (value === null) return '-'
  if (typeof value !== 'object') return String(value)
  const { records } = value as { records?: Json[] }
  return records ? `[${records.map(row).join('; ')}]` : row(value as Json)
}
