import { chat } from './chat/twin.ts'
import { crm } from './crm/twin.ts'
import { erp } from './erp/twin.ts'
import type { AnyTwin } from './kernel/twin.ts'
import { tracker } from './tracker/twin.ts'

/** The services that a world can hold: a fifth twin adds one line. */
export const allTwins: readonly AnyTwin[] = [chat, tracker, crm, erp]
