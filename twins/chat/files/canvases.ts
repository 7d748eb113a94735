import { Refusal, type RowOf } from '../../kernel/twin.ts'
import { isMember, requireMember, selfOf, visibleChannel } from '../access.ts'
import { json, list, method, must, str } from '../methods/method.ts'
import { foldText } from '../search/words.ts'
import type { Chat, ChatTables } from '../tables.ts'
import { capitals, nativeId } from '../values/ids.ts'
import { isRecord } from '../values/records.ts'
import { nowSeconds } from '../values/time.ts'

type Canvas = RowOf<ChatTables['canvas']>
type Section = Canvas['sections'][number]

const maxMarkdown = 100_000
const levels = ['read', 'write', 'owner']

const readDocument = (value: unknown): string => {
  if (value === undefined) return ''
  if (!isRecord(value) || value.type !== 'markdown') throw new Refusal('canvas_creation_failed')
  return String(value.markdown ?? '')
}

/** One section for each block of Markdown: a heading, a list, a paragraph. */
const sectionsOf = (call: Chat, markdown: string): Section[] => {
  if (markdown.length > maxMarkdown) throw new Refusal('canvas_too_large')
  return markdown
    .split(/\n{2,}|\n(?=#{1,3} )|(?<=^#{1,3} [^\n]*)\n/m)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => ({
      id: `temp:C:${capitals(call.draw('canvas section'), 20)}`,
      type: /^(#{1,3}) /.exec(text)?.[1]?.length.toString().replace(/^/, 'h') ?? 'any',
      markdown: text,
    }))
}

const join = (sections: readonly Section[]): string => sections.map(({ markdown }) => markdown).join('\n\n')

const mayRead = (call: Chat, row: Canvas): boolean =>
  row.creator === selfOf(call) ||
  row.access[selfOf(call)] !== undefined ||
  Object.keys(row.access).some((id) => isMember(call, id, selfOf(call))) ||
  (row.channel !== undefined && isMember(call, row.channel, selfOf(call)))

const known = (call: Chat, id: string): Canvas => {
  const row = call.tables.canvas.get(id)
  if (!row || !mayRead(call, row)) throw new Refusal('canvas_not_found')
  return row
}

const create = (call: Chat, title: string, document: unknown, channel: string | undefined): Canvas => {
  const sections = sectionsOf(call, readDocument(document))
  const now = nowSeconds(call)
  return call.tables.canvas.insert({
    id: nativeId('F', call.draw('file')),
    title,
    ...(channel && { channel }),
    creator: selfOf(call),
    markdown: join(sections),
    sections,
    access: {},
    created: now,
    updated: now,
  })
}

const change = (call: Chat, sections: readonly Section[], edit: unknown): Section[] => {
  if (!isRecord(edit)) throw new Refusal('canvas_editing_failed')
  const added = (): Section[] => {
    if (!isRecord(edit.document_content)) throw new Refusal('canvas_editing_failed')
    return sectionsOf(call, readDocument(edit.document_content))
  }
  const at = sections.findIndex(({ id }) => id === edit.section_id)
  const needsPlace = ['insert_after', 'insert_before', 'delete'].includes(String(edit.operation))
  if ((needsPlace || edit.section_id !== undefined) && at === -1) throw new Refusal('canvas_editing_failed')
  switch (edit.operation) {
    case 'insert_at_start':
      return [...added(), ...sections]
    case 'insert_at_end':
      return [...sections, ...added()]
    case 'insert_after':
      return sections.toSpliced(at + 1, 0, ...added())
    case 'insert_before':
      return sections.toSpliced(at, 0, ...added())
    case 'replace':
      return at === -1 ? added() : sections.toSpliced(at, 1, ...added())
    case 'delete':
      return sections.toSpliced(at, 1)
    default:
      throw new Refusal('canvas_editing_failed')
  }
}

/** Both sorts of holder at once; what cannot be given is said back. */
const setAccess = (
  access: Readonly<Record<string, string>>,
  ids: readonly string[],
  level: string | undefined,
): Record<string, string> => {
  const kept = Object.fromEntries(Object.entries(access).filter(([id]) => !ids.includes(id)))
  return level === undefined ? kept : { ...kept, ...Object.fromEntries(ids.map((id) => [id, level])) }
}

const holders = (
  call: Chat,
  args: { channel_ids?: string[] | undefined; user_ids?: string[] | undefined },
) => {
  const channels = args.channel_ids ?? []
  const users = args.user_ids ?? []
  if ((channels.length === 0) === (users.length === 0)) throw new Refusal('invalid_parameters')
  for (const id of channels) visibleChannel(call, id)
  for (const id of users) if (!call.tables.user.has(id)) throw new Refusal('user_not_found')
  return [...channels, ...users]
}

export const canvasMethods = {
  'canvases.create': method({
    effect: 'write',
    args: { title: str, document_content: json(), channel_id: str },
    run: (call, args) => {
      const channel = args.channel_id ? visibleChannel(call, args.channel_id).id : undefined
      return { canvas_id: create(call, args.title ?? 'Untitled', args.document_content, channel).id }
    },
  }),
  'conversations.canvases.create': method({
    effect: 'write',
    args: { channel_id: must(str), title: str, document_content: json() },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel_id)
      requireMember(call, channel)
      if (call.tables.canvas.first('channel', channel.id)) throw new Refusal('channel_canvas_already_exists')
      return { canvas_id: create(call, args.title ?? channel.name, args.document_content, channel.id).id }
    },
  }),
  'canvases.edit': method({
    effect: 'write',
    args: { canvas_id: must(str), changes: must(json()) },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      if (!Array.isArray(args.changes) || args.changes.length === 0)
        throw new Refusal('canvas_editing_failed')
      const sections = args.changes.reduce<Section[]>(
        (now, edit: unknown) => change(call, now, edit),
        row.sections,
      )
      call.tables.canvas.update(row.id, { sections, markdown: join(sections), updated: nowSeconds(call) })
      return {}
    },
  }),
  'canvases.delete': method({
    effect: 'write',
    args: { canvas_id: must(str) },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      if (row.creator !== selfOf(call)) throw new Refusal('restricted_action')
      call.tables.canvas.delete(row.id)
      return {}
    },
  }),
  'canvases.sections.lookup': method({
    effect: 'read',
    args: { canvas_id: must(str), criteria: must(json()) },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      const criteria = isRecord(args.criteria) ? args.criteria : {}
      const types = Array.isArray(criteria.section_types) ? criteria.section_types.map(String) : []
      const text = typeof criteria.contains_text === 'string' ? foldText(criteria.contains_text) : ''
      const fits = ({ type, markdown }: Section) =>
        (types.length === 0 ||
          types.includes(type) ||
          (types.includes('any_header') && type.startsWith('h'))) &&
        foldText(markdown).includes(text)
      return { sections: row.sections.filter(fits).map(({ id }) => ({ id })) }
    },
  }),
  'canvases.access.set': method({
    effect: 'write',
    args: { canvas_id: must(str), access_level: must(str), channel_ids: list, user_ids: list },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      if (!levels.includes(args.access_level)) throw new Refusal('invalid_parameters')
      const access = setAccess(row.access, holders(call, args), args.access_level)
      call.tables.canvas.update(row.id, { access })
      return {}
    },
  }),
  'canvases.access.delete': method({
    effect: 'write',
    args: { canvas_id: must(str), channel_ids: list, user_ids: list },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      call.tables.canvas.update(row.id, { access: setAccess(row.access, holders(call, args), undefined) })
      return {}
    },
  }),
}

export { holders, levels, setAccess }
