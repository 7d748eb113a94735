import { type Session, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { requireLimits } from '../methods/limits.ts'
import type { ChatTables } from '../tables.ts'
import { nativeAnswer } from '../wire/native.ts'
import { workspaceUrl } from '../wire/urls.ts'

export type ChatSession = Session<ChatTables>
export type Shape = Readonly<Record<string, unknown>>

/** Calls a method as the native API would, with its limits. */
export const call = (session: ChatSession, method: string, args: Shape): Shape => {
  requireLimits(method, args)
  return session.call<Shape>(method, args)
}

/** The same for methods whose answers are written out already. */
export const callWritten = (session: ChatSession, method: string, args: Shape): Shape =>
  JSON.parse(nativeAnswer(call(session, method, args)))

/** The address of the workspace. */
export const workspaceOf = (session: ChatSession): string =>
  workspaceUrl({ tables: session.views, baseUrl: session.baseUrl })

export interface Message {
  readonly ts: string
  readonly user?: string
  readonly username?: string
  readonly text: string
  readonly thread_ts?: string
  readonly reply_count?: number
  readonly latest_reply?: string
  readonly reactions?: readonly { readonly name: string; readonly count: number }[]
  readonly files?: readonly {
    readonly id: string
    readonly name: string
    readonly mimetype?: string
    readonly size?: number
  }[]
}

export const messagesOf = ({ messages }: Shape): readonly Message[] => messages as readonly Message[]

export const nextCursorOf = ({ response_metadata }: Shape): string => {
  const next = (response_metadata as { next_cursor?: string } | undefined)?.next_cursor
  return next ?? ''
}

/** Where a message is read or written: tools take a person's id for the direct message with them. */
export const placeOf = (session: ChatSession, id: string): string => {
  if (!session.views.user.has(id)) return id
  const opened = call(session, 'conversations.open', { users: id }).channel as { id: string }
  return opened.id
}

/** The same for a read, which opens nothing: a direct message that nobody began is not there. */
export const existingPlaceOf = (session: ChatSession, id: string): string => {
  if (!session.views.user.has(id)) return id
  const users = [...new Set([id, session.actor?.id ?? ''])].sort().join(',')
  const found = session.views.channel.first('users', users)
  if (!found) throw new VendorError('channel_not_found')
  return found.id
}

export const format = z.enum(['detailed', 'concise']).default('detailed').describe('How much to show')
export const text = z.string()
export const cursor = z.string().describe('Where the last page ended').optional()
export const limitOf = (standard: number, max: number) =>
  z.int().min(1).max(max).default(standard).describe(`At most ${max}`)
