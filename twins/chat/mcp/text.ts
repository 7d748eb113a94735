import type { ChatSession, Message } from './native.ts'

/** What the real server's tools answer is Markdown for a model to read, inside a JSON object. */

export const timeOf = (ts: string | number): string => {
  const at = new Date(Number(ts) * 1_000)
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export const personOf = (session: ChatSession, id: string | undefined, name?: string): string => {
  const user = session.views.user.get(id ?? '')
  return user?.real_name ?? name ?? id ?? 'unknown'
}

const authorOf = (session: ChatSession, { user, username }: Message): string => {
  const email = session.views.user.get(user ?? '')?.profile.email
  return `${username ?? personOf(session, user)}${email ? ` <${email}>` : ''} (${user ?? ''})`
}

const marks = ({ reactions = [], files = [] }: Message): string[] => [
  ...(reactions.length > 0
    ? [`Reactions: ${reactions.map(({ name, count }) => `${name} (${count})`).join(', ')}`]
    : []),
  ...(files.length > 0
    ? [
        `Files: ${files
          .map(({ id, name, mimetype, size }) => `${name} (ID: ${id}, ${mimetype ?? ''}, ${size ?? 0} bytes)`)
          .join(', ')}`,
      ]
    : []),
]

export const channelMessage = (session: ChatSession, message: Message, isDetailed: boolean): string =>
  [
    `=== Message from ${authorOf(session, message)} at ${timeOf(message.ts)} ===`,
    `Message TS: ${message.ts}`,
    message.text,
    ...(isDetailed ? marks(message) : []),
    ...(message.reply_count
      ? [`Thread: ${message.reply_count} replies (latest: ${timeOf(message.latest_reply ?? 0)})`]
      : []),
  ].join('\n')

const threadMessage = (session: ChatSession, message: Message, isDetailed: boolean): string =>
  [
    `From: ${authorOf(session, message)}`,
    `Time: ${timeOf(message.ts)}`,
    `Message TS: ${message.ts}`,
    message.text,
    ...(isDetailed ? marks(message) : []),
  ].join('\n')

export const threadText = (
  session: ChatSession,
  [parent, ...replies]: readonly Message[],
  isDetailed: boolean,
): string =>
  [
    '=== THREAD PARENT MESSAGE ===',
    parent ? threadMessage(session, parent, isDetailed) : '',
    '',
    `=== THREAD REPLIES (${replies.length} total) ===`,
    ...replies.flatMap((reply, n) => [
      '',
      `--- Reply ${n + 1} of ${replies.length} ---`,
      threadMessage(session, reply, isDetailed),
    ]),
  ].join('\n')

/** A list of findings under their headings. */
export const resultsText = (query: string, kind: string, found: readonly (readonly string[])[]): string =>
  [
    `# Search Results for: ${query}`,
    '',
    `## ${kind} (${found.length} results)`,
    ...found.flatMap((lines, n) => [`### Result ${n + 1} of ${found.length}`, ...lines, '', '---']),
  ].join('\n')

/** The answer with a hint how to go on, where there is more. */
export const paged = (name: string, body: string, next: string): Record<string, string> => ({
  [name]: body,
  ...(next === '' ? {} : { pagination_info: `There are more results. Use cursor: ${next}` }),
})
