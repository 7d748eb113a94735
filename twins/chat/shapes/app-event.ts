import type { Seen } from '../access.ts'
import type { ChannelRow } from '../tables.ts'
import { tsOf } from '../values/time.ts'

/** What an app's own bot sees, and who made the change. */
export type View = Seen & { readonly by: string }
export type Fields = Readonly<Record<string, unknown>>
export type Rows<R> = { readonly before: R | null; readonly after: R | null; readonly id: string }

/** An event with what decides who gets it. */
export interface AppEvent {
  /** What an app subscribes to, such as `message.channels`. */
  readonly name: string
  readonly event: Fields
  /** The conversation it is about; apps hear of those alone that they are in. */
  readonly channel?: ChannelRow | undefined
  /** Whether the whole workspace may know of it, in the channel or not. */
  readonly isPublic?: boolean
  /** The one user it concerns; apps hear of it on behalf of that user alone. */
  readonly onlyFor?: string
}

/** The moment of the event itself. */
export const eventTs = ({ now }: View): string => tsOf(now * 1_000 + 500)
