import { textsIn } from '../../blocks/blocks.ts'

/** The fields of a message that decide where it is shown and what finds it. */
interface IndexedMessage {
  readonly ts: string
  readonly thread_ts?: string | undefined
  readonly subtype?: string | undefined
  readonly text: string
  readonly blocks?: readonly Readonly<Record<string, unknown>>[] | undefined
  readonly attachments?: readonly Readonly<Record<string, unknown>>[] | undefined
  readonly files?: readonly { readonly name: string; readonly title: string }[] | undefined
}

/** What the service shows for a message that has blocks and no text. */
export const blocksOnly = "This content can't be displayed."

/** Roots, and replies that were also sent to the channel. */
export const isInHistory = (row: IndexedMessage): boolean =>
  row.thread_ts === undefined || row.thread_ts === row.ts || row.subtype === 'thread_broadcast'

const silent = new Set([
  'channel_join',
  'channel_leave',
  'channel_topic',
  'channel_purpose',
  'channel_name',
  'channel_archive',
  'channel_unarchive',
  'tombstone',
])

/** System messages and tombstones are not found by search. */
export const isSearchable = (row: IndexedMessage): boolean =>
  row.subtype === undefined || !silent.has(row.subtype)

/** Everything that search finds a message by: its text, and its blocks and attachments. */
export const contentOf = (row: IndexedMessage): string => {
  const own = row.text === blocksOnly ? '' : row.text
  const onlyRichText = row.blocks?.length === 1 && row.blocks[0]?.type === 'rich_text' && own !== ''
  if ((row.blocks === undefined || onlyRichText) && row.attachments === undefined && row.files === undefined)
    return own
  const files = row.files?.map(({ name, title }) => `${name} ${title}`) ?? []
  return [own, ...(onlyRichText ? [] : textsIn(row.blocks)), ...textsIn(row.attachments), ...files].join('\n')
}
