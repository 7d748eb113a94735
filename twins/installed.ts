import { chat } from './chat/manifest.ts'
import { crm } from './crm/manifest.ts'
import { erp } from './erp/manifest.ts'
import { tracker } from './tracker/manifest.ts'

/**
 * The kinds that a world can hold, in the order in which they are listed. A fifth twin is a folder and its place here:
 * the blueprint, the server, the sandbox, the console and the documentation follow from this list.
 */
export const installed = [chat, tracker, crm, erp] as const
