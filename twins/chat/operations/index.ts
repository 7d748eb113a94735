import { type Operation, operation, Refusal } from '../../kernel/twin.ts'
import { isRecord } from '../method.ts'
import type { ChatTables } from '../tables.ts'
import { assistantMethods } from './assistant.ts'
import { canvasMethods } from './canvases.ts'
import { chatMethods } from './chat.ts'
import { conversationReads } from './conversations-read.ts'
import { conversationWrites } from './conversations-write.ts'
import { direct } from './direct.ts'
import { fileMethods } from './files.ts'
import { listMethods } from './lists.ts'
import { dndMethods, starMethods } from './personal.ts'
import { bookmarkMethods, pinMethods } from './pins.ts'
import { reactionMethods } from './reactions.ts'
import { reminderMethods } from './reminders.ts'
import { scheduleMethods } from './schedule.ts'
import { searchMethods } from './search.ts'
import { streamMethods } from './streams.ts'
import { teamMethods } from './team.ts'
import { transfers } from './transfers.ts'
import { usergroupMethods } from './usergroups.ts'
import { userMethods } from './users.ts'
import { viewMethods } from './views.ts'

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

/** The service took this method out of use; clients are told so and upload in three steps. */
const retired = operation<ChatTables, unknown>({
  effect: 'read',
  run: () => {
    throw new Refusal('method_deprecated')
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
  ...reminderMethods,
  ...dndMethods,
  ...starMethods,
  ...viewMethods,
  ...streamMethods,
  ...assistantMethods,
  ...canvasMethods,
  ...listMethods,
  'files.upload': retired,
  ...transfers,
}
