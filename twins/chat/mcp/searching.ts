import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import { makeCursor, readCursor } from '../methods/pages.ts'
import type { ChatTables } from '../tables.ts'
import { type ChatSession, call, cursor, format, limitOf, type Shape, text, workspaceOf } from './native.ts'
import { paged, personOf, resultsText, timeOf } from './text.ts'

const maxPages = 20
const perPage = 100

const words = {
  query: text.describe('What to look for; modifiers such as in: and from: work').optional(),
  keywords: z.array(text).describe('All must be found; each is a word or a quoted phrase').optional(),
  natural_language_query: text.optional(),
}

const searchInput = {
  ...words,
  filters: text.describe('Modifiers: in: from: to: has: before: after: on:').optional(),
  content_types: text.describe('messages, files; comma-separated').default('messages'),
  context_channel_id: text.optional(),
  cursor,
  limit: limitOf(20, 20),
  after: text.describe('Unix seconds, inclusive').optional(),
  before: text.describe('Unix seconds, inclusive').optional(),
  include_bots: z.boolean().default(false),
  sort: text.describe('score or timestamp').default('score'),
  sort_dir: text.describe('asc or desc').default('desc'),
  response_format: format,
  include_context: z.boolean().default(true),
  max_context_length: z.number().optional(),
  only_my_channels: z.boolean().default(false),
}
const Search = z.strictObject(searchInput)
type Search = z.output<typeof Search>
const everywhere = 'public_channel,private_channel,mpim,im'

const askedOf = ({ query, keywords = [], natural_language_query }: Partial<Search>): string =>
  [query ?? natural_language_query ?? '', ...keywords].join(' ').trim()

interface Match {
  readonly ts: string
  readonly user: string
  readonly username: string
  readonly text: string
  readonly permalink: string
  readonly channel: { readonly id: string; readonly name: string }
}

/** Every match of the native search that fits, up to a bound: the native one knows no kinds of channels. */
const matching = (session: ChatSession, query: string, args: Search, kinds: ReadonlySet<string>): Match[] => {
  const found: Match[] = []
  for (let page = 1; page <= maxPages; page++) {
    const asked = { query, sort: args.sort, sort_dir: args.sort_dir, count: perPage, page }
    const { matches, total } = call(session, 'search.messages', asked).messages as {
      matches: readonly Match[]
      total: number
    }
    found.push(...matches.filter((match) => fits(session, match, args, kinds)))
    if (page * perPage >= total) break
  }
  return found
}

const fits = (session: ChatSession, match: Match, args: Search, kinds: ReadonlySet<string>): boolean => {
  const channel = session.views.channel.get(match.channel.id)
  const at = Number(match.ts)
  return (
    kinds.has(channel?.kind ?? '') &&
    (args.after === undefined || at >= Number(args.after)) &&
    (args.before === undefined || at <= Number(args.before)) &&
    (args.include_bots || session.views.user.get(match.user)?.is_bot !== true) &&
    (!args.only_my_channels ||
      session.views.channel_member.has(`${match.channel.id}:${session.actor?.id ?? ''}`))
  )
}

const matchLines = (session: ChatSession, match: Match): string[] => {
  const isDirect = session.views.channel.get(match.channel.id)?.kind === 'im'
  const replies = session.views.thread.get(`${match.channel.id}:${match.ts}`)?.reply_count
  return [
    isDirect
      ? `Channel: DM (ID: ${match.channel.id})`
      : `Channel: #${match.channel.name} (ID: ${match.channel.id})`,
    `From: ${personOf(session, match.user, match.username)} (ID: ${match.user})`,
    `Time: ${timeOf(match.ts)}`,
    `Message_ts: ${match.ts}`,
    ...(replies ? [`Reply count: ${replies}`] : []),
    `Permalink: [link](${match.permalink})`,
    'Text:',
    match.text,
  ]
}

const fileLines = (session: ChatSession, file: Shape): string[] => [
  `Title: ${String(file.title)}`,
  `File ID: ${String(file.id)}`,
  `Type: ${String(file.mimetype)}`,
  `From: ${personOf(session, String(file.user))} (ID: ${String(file.user)})`,
  `Created: ${timeOf(Number(file.created))}`,
  `Permalink: [link](${String(file.permalink)})`,
]

const search = (session: ChatSession, args: Search, kinds: ReadonlySet<string>) => {
  const query = [askedOf(args), args.filters ?? ''].join(' ').trim()
  if (query === '') throw new VendorError('no_query')
  const types = args.content_types.split(',').map((type) => type.trim())
  const start = offsetOf(args.cursor)
  const found = types.includes('messages') ? matching(session, query, args, kinds) : []
  const shown = found.slice(start, start + args.limit)
  const files = types.includes('files')
    ? ((call(session, 'search.files', { query, count: args.limit }).files as { matches: Shape[] }).matches ??
      [])
    : []
  const parts = [
    ...(types.includes('messages')
      ? [
          resultsText(
            query,
            'Messages',
            shown.map((match) => matchLines(session, match)),
          ),
        ]
      : []),
    ...(types.includes('files')
      ? [
          resultsText(
            query,
            'Files',
            files.map((file) => fileLines(session, file)),
          ),
        ]
      : []),
  ]
  const end = start + args.limit
  return paged('results', parts.join('\n\n'), end < found.length ? makeCursor('mcp', String(end)) : '')
}

const offsetOf = (from: string | undefined): number => {
  if (from === undefined || from === '') return 0
  const offset = Number(readCursor('mcp', from))
  if (!Number.isInteger(offset) || offset < 0) throw new VendorError('invalid_cursor')
  return offset
}

/** Terms that must all be found; one with a minus in front must not. */
const meets = (query: string, fields: readonly (string | undefined)[]): boolean => {
  const held = fields.join('\n').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '')
    .every((term) =>
      term.startsWith('-') ? !held.includes(term.slice(1)) : held.includes(term.replaceAll('"', '')),
    )
}

const pageOf = <V>(all: readonly V[], from: string | undefined, limit: number) => {
  const start = offsetOf(from)
  const end = start + limit
  return { shown: all.slice(start, end), next: end < all.length ? makeCursor('mcp', String(end)) : '' }
}

interface Channel {
  readonly id: string
  readonly name: string
  readonly creator: string
  readonly created: number
  readonly is_archived: boolean
  readonly topic: { readonly value: string }
  readonly purpose: { readonly value: string }
}

/** Every channel of these kinds that the caller may see, page after page of the native list. */
const channelsOf = (session: ChatSession, types: string): Channel[] => {
  const found: Channel[] = []
  let at = ''
  do {
    const answer = call(session, 'conversations.list', { types, limit: 1_000, cursor: at })
    found.push(...(answer.channels as Channel[]))
    at = (answer.response_metadata as { next_cursor?: string } | undefined)?.next_cursor ?? ''
  } while (at !== '')
  return found
}

const channelLines = (session: ChatSession, channel: Channel): string[] => [
  `Name: #${channel.name}`,
  `Channel ID: ${channel.id}`,
  `Creator: ${personOf(session, channel.creator)} (<@${channel.creator}>)`,
  `Created: ${timeOf(channel.created)}`,
  ...(channel.topic.value === '' ? [] : [`Topic: ${channel.topic.value}`]),
  ...(channel.purpose.value === '' ? [] : [`Purpose: ${channel.purpose.value}`]),
  `Permalink: [link](${workspaceOf(session)}/archives/${channel.id})`,
  `Is Archived: ${channel.is_archived}`,
]

interface User {
  readonly id: string
  readonly name: string
  readonly real_name?: string
  readonly deleted: boolean
  readonly tz_label?: string
  readonly tz?: string
  readonly profile: {
    readonly email?: string
    readonly title?: string
    readonly display_name?: string
    readonly image_192?: string
  }
}

const userLines = (session: ChatSession, { id, name, real_name, tz, profile }: User): string[] => [
  `Name: ${real_name ?? name}`,
  `User ID: ${id}`,
  ...(profile.title ? [`Title: ${profile.title}`] : []),
  `Email: ${profile.email ?? ''}`,
  `Timezone: ${tz ?? ''}`,
  `Profile Pic: [Photo](${profile.image_192 ?? ''})`,
  `Permalink: [link](${workspaceOf(session)}/team/${id})`,
]

const unread = 'messages around a match are not shown, and words are matched, not meanings'

export const searchTools = [
  mcpTool<ChatTables, typeof Search>({
    name: 'slack_search_public',
    description: 'Searches messages and files in public channels.',
    effect: 'read',
    input: Search,
    missing: unread,
    run: ({ session }, args) => search(session, args, new Set(['public_channel'])),
  }),
  mcpTool<ChatTables, z.ZodType<Search & { channel_types: string }>>({
    name: 'slack_search_public_and_private',
    description: 'Searches messages and files in every conversation that you may read.',
    effect: 'read',
    input: z.strictObject({
      ...searchInput,
      channel_types: text
        .describe('public_channel, private_channel, mpim, im; comma-separated')
        .default(everywhere),
    }),
    missing: unread,
    run: ({ session }, args) =>
      search(session, args, new Set(args.channel_types.split(',').map((kind) => kind.trim()))),
  }),
  mcpTool<ChatTables, z.ZodType<ChannelSearch>>({
    name: 'slack_search_channels',
    description: 'Finds channels by name, topic or purpose.',
    effect: 'read',
    input: z.strictObject({
      ...words,
      channel_types: text
        .describe('public_channel, private_channel; comma-separated')
        .default('public_channel'),
      cursor,
      limit: limitOf(20, 20),
      response_format: format,
      include_archived: z.boolean().optional(),
    }),
    run: ({ session }, args) => {
      const query = askedOf(args)
      const found = channelsOf(session, args.channel_types).filter(
        (channel) =>
          (args.include_archived || !channel.is_archived) &&
          meets(query.replace(/^#/, ''), [channel.name, channel.topic.value, channel.purpose.value]),
      )
      const { shown, next } = pageOf(found, args.cursor, args.limit)
      const lines = shown.map((channel) => channelLines(session, channel))
      return paged('results', resultsText(query, 'Channels', lines), next)
    },
  }),
  mcpTool<ChatTables, z.ZodType<UserSearch>>({
    name: 'slack_search_users',
    description: 'Finds people by name, email address or title.',
    effect: 'read',
    input: z.strictObject({ ...words, cursor, limit: limitOf(20, 20), response_format: format }),
    run: ({ session }, args) => {
      const query = askedOf(args)
      const members = call(session, 'users.list', {}).members as readonly User[]
      const found = members.filter(
        ({ deleted, name, real_name, profile }) =>
          !deleted && meets(query, [name, real_name, profile.email, profile.title, profile.display_name]),
      )
      const { shown, next } = pageOf(found, args.cursor, args.limit)
      return paged(
        'results',
        resultsText(
          query,
          'Users',
          shown.map((user) => userLines(session, user)),
        ),
        next,
      )
    },
  }),
  mcpTool<ChatTables, z.ZodType<{ query: string }>>({
    name: 'slack_search_emojis',
    description: 'Finds custom emoji of the workspace.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ query: text.describe('Parts of names, comma-separated') }),
    run: ({ session }, { query }) => {
      const parts = query.split(',').map((part) => part.trim().toLowerCase())
      const emoji = call(session, 'emoji.list', {}).emoji as Readonly<Record<string, string>>
      const found = Object.entries(emoji)
        .filter(([name]) => parts.some((part) => name.includes(part)))
        .slice(0, 200)
        .map(([name, url]) => [
          `Name: :${name}:`,
          url.startsWith('alias:') ? `Alias of: ${url.slice(6)}` : `URL: ${url}`,
        ])
      return { results: resultsText(query, 'Emojis', found) }
    },
  }),
]

interface Words {
  readonly query?: string | undefined
  readonly keywords?: string[] | undefined
  readonly natural_language_query?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}
type UserSearch = Words
interface ChannelSearch extends Words {
  readonly channel_types: string
  readonly include_archived?: boolean | undefined
}
