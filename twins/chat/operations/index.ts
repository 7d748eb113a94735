import { type Operation, operation, Refusal } from '../../kernel/twin.ts'
import { isRecord } from '../method.ts'
import type { ChatTables } from '../tables.ts'
import { chatMethods } from './chat.ts'
import { conversationReads } from './conversations-read.ts'
import { conversationWrites } from './conversations-write.ts'
import { direct } from './direct.ts'
import { fileMethods } from './files.ts'
import { bookmarkMethods, pinMethods } from './pins.ts'
import { reactionMethods } from './reactions.ts'
import { scheduleMethods } from './schedule.ts'
import { searchMethods } from './search.ts'
import { teamMethods } from './team.ts'
import { transfers } from './transfers.ts'
import { usergroupMethods } from './usergroups.ts'
import { userMethods } from './users.ts'

/** Says back what it was told, and fails where it was told to. */
const apiTest = operation<ChatTables, unknown>({
  effect: 'read',
  run: (_call, input) => {
    const args = isRecord(input) ? input : {}
    const told = Object.keys(args).length > 0 ? { args } : {}
    if (typeof args.error === 'string' && args.error !== '')
      throw new Refusal(args.error, args.error, { data: told })
    return told
  },
})

export const operations: Readonly<Record<string, Operation>> = {
  'api.test': apiTest,
  ...teamMethods,
  ...chatMethods,
  ...scheduleMethods,
  ...conversationReads,
  ...conversationWrites,
  ...direct,
  ...userMethods,
  ...reactionMethods,
  ...searchMethods,
  ...fileMethods,
  ...pinMethods,
  ...bookmarkMethods,
  ...usergroupMethods,
  ...transfers,
}
