import { stripVTControlCharacters } from 'node:util'
import type { Paint } from './terminal.ts'

const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Control characters in a record must not move the reader's cursor. */
export const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would obey.
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')

export const cut = (text: string, width: number): string => {
  const letters = [...plain(text)]
  return letters.length <= width ? letters.join('') : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`
}

/** Columns as wide as their content, under their names. */
export const table = (
  names: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string => {
  const widths = names.map((name, n) => Math.max(widthOf(name), ...rows.map((row) => widthOf(row[n] ?? ''))))
  const line = (cells: readonly string[]) =>
    names
      .map((_, n) => pad(cells[n] ?? '', widths[n] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(names.map((name) => paint('bold', name))), ...rows.map(line)].join('\n')
}

/** Names and values, one a line. */
export const facts = (
  entries: readonly (readonly [string, string | null | undefined])[],
  paint: Paint,
): string => {
  const shown = entries.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...shown.map(([name]) => widthOf(name)))
  return shown.map(([name, value]) => `${paint('dim', pad(name, width))}  ${value}`).join('\n')
}
