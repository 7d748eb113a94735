import { chat } from './chat/manifest.ts'
import { crm } from './crm/manifest.ts'
import { erp } from './erp/manifest.ts'
import { stub } from './stub/manifest.ts'
import { tracker } from './tracker/manifest.ts'

/**
 * The kinds that a world can hold, in the order in which they are listed. Another twin is a folder and its place here:
 * the blueprint, the server, the sandbox, the console and the documentation follow from this list.
 */
export const installed = [chat, tracker, crm, erp, stub] as const
