import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { canSeeFile, selfOf, teamOf } from '../../access.ts'
import { flag, int, method, must, str } from '../../methods/method.ts'
import { makeCursor, type Paging, pageOf, pagingShape, readCursor, readPaging } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import type { Chat, FileRow } from '../../tables.ts'
import { permalink } from '../../wire/urls.ts'
import type { Query } from './query.ts'
import { type Hit, highlight, queryOf, searchFiles, searchMessages } from './search.ts'

const searchArgs = {
  query: must(str, 'no_query'),
  count: int,
  page: int,
  sort: str,
  sort_dir: str,
  highlight: flag,
  team_id: str,
}

interface SearchArgs {
  readonly query: string
  readonly count?: number | undefined
  readonly page?: number | undefined
  readonly sort?: string | undefined
  readonly sort_dir?: string | undefined
  readonly highlight?: boolean | undefined
}

const readQuery = (call: Chat, args: SearchArgs): Query => {
  if (args.query.trim() === '') throw new VendorError('no_query')
  return queryOf(call, args.query)
}

const matchShape = (call: Chat, { row, score }: Hit, query: Query, marks: boolean) => {
  const channel = call.tables.channel.get(row.channel)
  const kind = channel?.kind
  const other = channel?.users?.find((user) => user !== selfOf(call))
  return {
    iid: `${row.channel}-${row.ts}`,
    team: teamOf(call).id,
    score,
    channel: {
      id: row.channel,
      is_channel: kind === 'public_channel' || kind === 'private_channel',
      is_group: kind === 'mpim',
      is_im: kind === 'im',
      is_mpim: kind === 'mpim',
      is_shared: false,
      is_org_shared: false,
      is_ext_shared: false,
      is_private: kind !== 'public_channel',
      is_pending_ext_shared: false,
      name: kind === 'im' ? (other ?? '') : (channel?.name ?? ''),
      pending_shared: [],
      ...(kind === 'im' && { user: other }),
    },
    type: kind === 'im' ? 'im' : 'message',
    user: row.user ?? '',
    username: row.username ?? call.tables.user.get(row.user ?? '')?.name ?? '',
    ts: row.ts,
    ...(row.blocks && { blocks: row.blocks }),
    ...(row.attachments && { attachments: row.attachments }),
    ...(row.files && { files: row.files }),
    text: marks ? highlight(row.text, query.terms) : row.text,
    permalink: permalink(call, row),
    no_reactions: !row.reactions || row.reactions.length === 0,
  }
}

const totals = (total: number, paging: Paging) => {
  const first = total === 0 ? 0 : (paging.page - 1) * paging.count + 1
  return {
    total,
    pagination: {
      total_count: total,
      page: paging.page,
      per_page: paging.count,
      page_count: Math.ceil(total / paging.count),
      first,
      last: Math.min(total, paging.page * paging.count),
    },
    paging: pagingShape(total, paging),
  }
}

const messages = (call: Chat, args: SearchArgs, query: Query, paging: Paging) => {
  const order = { sort: args.sort || 'score', ascending: args.sort_dir === 'asc' }
  const hits = searchMessages(call, query, order)
  return {
    ...totals(hits.length, paging),
    matches: pageOf(hits, paging).map((hit) => matchShape(call, hit, query, args.highlight === true)),
  }
}

const files = (call: Chat, query: Query, paging: Paging) => {
  const found = searchFiles(call, query, (file: FileRow) => canSeeFile(call, file))
  return {
    ...totals(found.length, paging),
    matches: pageOf(found, paging).map((file, n) => ({
      ...fileShape(call, file, true),
      reactions: file.reactions ?? [],
      score: (1 / (n + 1)).toFixed(6),
      top_file: false,
    })),
  }
}

/** Pages by number, or from `*` on by cursor. */
const readPage = (args: SearchArgs & { cursor?: string | undefined }): Paging => {
  const at = !args.cursor || args.cursor === '*' ? undefined : Number(readCursor('search', args.cursor))
  if (at !== undefined && (!Number.isInteger(at) || at < 1)) throw new VendorError('invalid_cursor')
  const paging = readPaging(args, 20, 100)
  return { count: paging.count, page: Math.min(at ?? paging.page, 100_000) }
}

export const searchMethods = {
  'search.messages': method({
    effect: 'read',
    args: { ...searchArgs, cursor: str },
    run: (call, args) => {
      const paging = readPage(args)
      const found = messages(call, args, readQuery(call, args), paging)
      const more = paging.page * paging.count < found.total
      return {
        query: args.query,
        messages: found,
        ...(args.cursor && {
          response_metadata: { next_cursor: more ? makeCursor('search', String(paging.page + 1)) : '' },
        }),
      }
    },
  }),
  'search.files': method({
    effect: 'read',
    args: searchArgs,
    run: (call, args) => ({
      query: args.query,
      files: files(call, readQuery(call, args), readPage(args)),
    }),
  }),
  'search.all': method({
    effect: 'read',
    args: searchArgs,
    run: (call, args) => {
      const query = readQuery(call, args)
      const paging = readPage(args)
      return {
        query: args.query,
        messages: messages(call, args, query, paging),
        files: files(call, query, paging),
        posts: { total: 0, matches: [] },
      }
    },
  }),
}
