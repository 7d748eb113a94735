import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { refusal } from '../rules/messages.ts'
import { type CheckTable, checkTables } from './lists.ts'

/** Refuses a code that its check table does not hold; an empty one passes. */
export const checkCode = (table: CheckTable, code: string, target: string): void => {
  if (code !== '' && !checkTables[table].has(code)) throw refusal('00/058', [code, table], target)
}

/** Refuses the first field whose code its check table does not hold. */
export const checkCodes = (values: EdmValues, tables: Readonly<Record<string, CheckTable>>): void => {
  for (const [field, table] of Object.entries(tables)) {
    const code = values[field]
    if (typeof code === 'string') checkCode(table, code, field)
  }
}

/** Refuses an entry that a table of the company's own does not hold. */
export const checkEntry = (known: boolean, code: string, table: string, target: string): void => {
  if (code !== '' && !known) throw refusal('00/058', [code, table], target)
}
