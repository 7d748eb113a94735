import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { documentLevel, requireMember, selfOf, visibleChannel } from '../../access.ts'
import { invalidArguments, json, list, method, must, str } from '../../methods/method.ts'
import type { Chat, ChatTables } from '../../tables.ts'
import { capitals, nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'
import { foldText } from '../search/words.ts'
import { changedAccess, deleteDocument, insertDocument, requireLevel, updateDocument } from './documents.ts'

type Canvas = RowOf<ChatTables['canvas']>
type Section = Canvas['sections'][number]

const maxMarkdown = 1_048_576
const maxSections = 10_000

const readDocument = (value: unknown): string => {
  if (value === undefined) return ''
  if (!isRecord(value) || value.type !== 'markdown') throw new VendorError('canvas_creation_failed')
  return String(value.markdown ?? '')
}

/** One section for each block of Markdown: a heading, a list, a paragraph. */
const sectionsOf = (call: Chat, markdown: string): Section[] => {
  if (markdown.length > maxMarkdown) throw new VendorError('canvas_too_large')
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

const known = (call: Chat, id: string): Canvas => {
  const row = call.tables.canvas.get(id)
  if (!row || !documentLevel(call, id)) throw new VendorError('canvas_not_found')
  return row
}

const create = (call: Chat, title: string, document: unknown, channel: string | undefined): Canvas => {
  const sections = sectionsOf(call, readDocument(document))
  const now = nowSeconds(call)
  const id = nativeId('F', call.draw('file'))
  const markdown = join(sections)
  insertDocument(call, { id, title, mode: 'quip', size: Buffer.byteLength(markdown) })
  return call.tables.canvas.insert({
    id,
    title,
    ...(channel && { channel }),
    creator: selfOf(call),
    markdown,
    sections,
    access: {},
    created: now,
    updated: now,
  })
}

const change = (call: Chat, sections: readonly Section[], edit: unknown): Section[] => {
  if (!isRecord(edit)) throw new VendorError('canvas_editing_failed')
  const added = (): Section[] => {
    if (!isRecord(edit.document_content)) throw new VendorError('canvas_editing_failed')
    return sectionsOf(call, readDocument(edit.document_content))
  }
  const at = sections.findIndex(({ id }) => id === edit.section_id)
  const needsPlace = ['insert_after', 'insert_before', 'delete'].includes(String(edit.operation))
  if ((needsPlace || edit.section_id !== undefined) && at === -1)
    throw new VendorError('canvas_editing_failed')
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
      throw new VendorError('canvas_editing_failed')
  }
}

const rename = (call: Chat, row: Canvas, content: unknown): Record<string, never> => {
  const title = isRecord(content) && content.type === 'markdown' ? String(content.markdown ?? '').trim() : ''
  if (title === '') throw new VendorError('canvas_editing_failed')
  call.tables.canvas.update(row.id, { title, updated: nowSeconds(call) })
  updateDocument(call, row.id, { title })
  return {}
}

const sectionTypes = new Set(['any_header', 'h1', 'h2', 'h3'])

const readCriteria = (value: unknown): { types: string[]; text: string } => {
  if (!isRecord(value)) throw invalidArguments('must provide an object [json-pointer:/criteria]')
  const { section_types = [], contains_text = '' } = value
  if (!Array.isArray(section_types))
    throw invalidArguments('must provide an array [json-pointer:/criteria/section_types]')
  if (typeof contains_text !== 'string')
    throw invalidArguments('must provide a string [json-pointer:/criteria/contains_text]')
  const bad = section_types.findIndex((type) => !sectionTypes.has(String(type)))
  if (bad !== -1)
    throw invalidArguments(`must be a valid enum value [json-pointer:/criteria/section_types/${bad}]`)
  if (section_types.length === 0 && contains_text === '')
    throw invalidArguments('must have minimum 1 properties [json-pointer:/criteria]')
  return { types: section_types.map(String), text: foldText(contains_text) }
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
      if (call.tables.canvas.first('channel', channel.id))
        throw new VendorError('channel_canvas_already_exists')
      return { canvas_id: create(call, args.title ?? channel.name, args.document_content, channel.id).id }
    },
  }),
  'canvases.edit': method({
    effect: 'write',
    args: { canvas_id: must(str), changes: must(json()) },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      requireLevel(call, row.id, 'write')
      const [edit] = Array.isArray(args.changes) ? args.changes : []
      if (isRecord(edit) && edit.operation === 'rename') return rename(call, row, edit.title_content)
      const sections = change(call, row.sections, edit)
      const markdown = join(sections)
      if (markdown.length > maxMarkdown || sections.length > maxSections)
        throw new VendorError('canvas_too_large')
      call.tables.canvas.update(row.id, { sections, markdown, updated: nowSeconds(call) })
      updateDocument(call, row.id, { size: Buffer.byteLength(markdown) })
      return {}
    },
  }),
  'canvases.delete': method({
    effect: 'write',
    args: { canvas_id: must(str) },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      requireLevel(call, row.id, 'owner')
      deleteDocument(call, row.id)
      return {}
    },
  }),
  'canvases.sections.lookup': method({
    effect: 'read',
    args: { canvas_id: must(str), criteria: must(json()) },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      const { types, text } = readCriteria(args.criteria)
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
      call.tables.canvas.update(row.id, { access: changedAccess(call, row, args, args.access_level) })
      return {}
    },
  }),
  'canvases.access.delete': method({
    effect: 'write',
    args: { canvas_id: must(str), channel_ids: list, user_ids: list },
    run: (call, args) => {
      const row = known(call, args.canvas_id)
      call.tables.canvas.update(row.id, { access: changedAccess(call, row, args) })
      return {}
    },
  }),
}
