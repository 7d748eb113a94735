import { type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { type CrmTables, endedTable, tableOf } from '../tables.ts'

/** Logging in makes an ended session good again; the token of a subject is always the same one. */
export const sessionOperations: Readonly<Record<string, Operation>> = {
  login: operation<CrmTables, { subject: string }>({
    effect: 'write',
    run: (call, { subject }) => {
      const ended = tableOf(call.tables, endedTable)
      if (ended.has(subject)) ended.delete(subject)
    },
  }),
  logout: operation<CrmTables, { subject: string }>({
    effect: 'write',
    run: (call, { subject }) => {
      const ended = tableOf(call.tables, endedTable)
      if (!ended.has(subject)) ended.insert({ subject })
    },
  }),
}
