export const delimiters: Readonly<Record<string, string>> = {
  BACKQUOTE: '`',
  CARET: '^',
  COMMA: ',',
  PIPE: '|',
  SEMICOLON: ';',
  TAB: '\t',
}

/** The rows of a CSV text; quoted fields may hold delimiters, quotes and line ends. Undefined when a quote is not closed. */
export const readCsv = (text: string, delimiter: string): string[][] | undefined => {
  const rows: string[][] = []
  let row: string[] = []
  let field = ''
  let quoted = false
  let started = false
  const endField = (): void => {
    row.push(field)
    field = ''
  }
  const endRow = (): void => {
    endField()
    rows.push(row)
    row = []
    started = false
  }
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quoted) {
      if (char !== '"') field += char
      else if (text.charAt(at + 1) === '"') {
        field += '"'
        at++
      } else quoted = false
    } else if (char === '"' && field === '') {
      quoted = true
      started = true
    } else if (char === delimiter) {
      endField()
      started = true
    } else if (char === '\n' || char === '\r') {
      if (char === '\r' && text.charAt(at + 1) === '\n') at++
      if (started) endRow()
    } else {
      field += char
      started = true
    }
  }
  if (quoted) return undefined
  if (started) endRow()
  return rows
}

export const writeCsv = (
  rows: readonly (readonly unknown[])[],
  delimiter: string,
  lineEnd: '\n' | '\r\n',
): string =>
  rows
    .map((row) => row.map((value) => `"${textOf(value).replaceAll('"', '""')}"`).join(delimiter))
    .map((line) => `${line}${lineEnd}`)
    .join('')

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
