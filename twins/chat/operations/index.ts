import { type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { oauthMethods } from '../apps/oauth/oauth.ts'
import { openIdMethods } from '../apps/oauth/openid.ts'
import { responseMethods } from '../apps/response-urls.ts'
import { socketMethods } from '../apps/socket-mode.ts'
import { blockMethods } from '../blocks/methods.ts'
import type { ChatTables } from '../tables.ts'
import { callMethods } from './conversations/calls.ts'
import { connectMethods } from './conversations/connect.ts'
import { direct } from './conversations/direct.ts'
import { conversationReads } from './conversations/read.ts'
import { conversationWrites } from './conversations/write.ts'
import { canvasMethods } from './files/canvases.ts'
import { fileMethods } from './files/files.ts'
import { listMethods } from './files/lists.ts'
import { remoteFileMethods } from './files/remote.ts'
import { transfers } from './files/transfers.ts'
import { chatMethods } from './messages/chat.ts'
import { bookmarkMethods, pinMethods } from './messages/pins.ts'
import { reactionMethods } from './messages/reactions.ts'
import { scheduleMethods } from './messages/schedule.ts'
import { streamMethods } from './messages/streams.ts'
import { dndMethods, starMethods } from './people/personal.ts'
import { reminderMethods } from './people/reminders.ts'
import { teamMethods } from './people/team.ts'
import { usergroupMethods } from './people/usergroups.ts'
import { userMethods } from './people/users.ts'
import { viewMethods } from './people/views.ts'
import { assistantMethods } from './search/assistant.ts'
import { searchMethods } from './search/methods.ts'

/** Echoes its arguments, and fails where they ask for an error. */
const apiTest = operation<ChatTables, unknown>({
  effect: 'read',
  run: (_call, input) => {
    const args = isRecord(input) ? input : {}
    const told = Object.keys(args).length > 0 ? { args } : {}
    if (typeof args.error === 'string' && args.error !== '')
      throw new VendorError(args.error, args.error, { data: told })
    return told
  },
})

/** The service took this method out of use; clients get an error and upload in three steps. */
const retired = operation<ChatTables, unknown>({
  effect: 'read',
  run: () => {
    throw new VendorError('method_deprecated')
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
  ...callMethods,
  ...connectMethods,
  ...remoteFileMethods,
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
  ...blockMethods,
  ...streamMethods,
  ...assistantMethods,
  ...canvasMethods,
  ...listMethods,
  ...socketMethods,
  ...oauthMethods,
  ...openIdMethods,
  ...responseMethods,
  'files.upload': retired,
  ...transfers,
}
