import { VendorError } from '@diorama/twin-kit/kernel/twin'
import {
  canSee,
  isBotCall,
  isMember,
  namedChannel,
  requireMember,
  requireOpen,
  requirePosting,
  selfOf,
} from '../../access.ts'
import { moveTables, readAttachments } from '../../blocks/attachments.ts'
import { nameBlocks, readBlocks } from '../../blocks/blocks.ts'
import { blockContext } from '../../blocks/context.ts'
import { readMetadata } from '../../blocks/metadata.ts'
import { flag, json, str } from '../../methods/method.ts'
import type { ChannelRow, Chat } from '../../tables.ts'
import { openDirect } from '../conversations/direct.ts'
import { blocksOnly } from './content.ts'
import { authorOf, type Draft, threadRoot } from './post.ts'
import { fromMarkdown, storedText } from './text.ts'

/** The arguments that every method which writes a message takes. */
export const contentArgs = {
  text: str,
  blocks: json('invalid_blocks_format'),
  attachments: json('invalid_attachments'),
  markdown_text: str,
  metadata: json('invalid_metadata_format'),
  parse: str,
  link_names: flag,
}

export interface Content {
  readonly text?: string | undefined
  readonly blocks?: unknown
  readonly attachments?: unknown
  readonly markdown_text?: string | undefined
  readonly metadata?: unknown
  readonly parse?: string | undefined
  readonly link_names?: boolean | undefined
}

export interface Composed {
  readonly text: string
  readonly blocks: Draft['blocks']
  readonly attachments: Draft['attachments']
  readonly metadata: Draft['metadata']
  /** Set where the service cut the text. */
  readonly warning?: 'message_truncated'
}

const maxText = 40_000
const maxMarkdown = 12_000

/** Checks what a message says and brings it into the form in which it is kept. */
export const compose = (call: Chat, content: Content, place: string): Composed => {
  const { markdown_text } = content
  if (markdown_text !== undefined && markdown_text !== '') {
    if (content.text !== undefined || content.blocks !== undefined)
      throw new VendorError('markdown_text_conflict')
    if (markdown_text.length > maxMarkdown) throw new VendorError('msg_too_long')
  }
  const given = markdown_text ? fromMarkdown(markdown_text) : (content.text ?? '')
  const cut = given.length > maxText ? given.slice(0, maxText) : given
  const stored = storedText(linkNames(call, cut, content), { links: content.parse !== 'none' })
  const context = blockContext(call)
  const checked = readBlocks(content.blocks, context)
  const { blocks, attachments } = moveTables({
    blocks: checked,
    attachments: readAttachments(content.attachments, { context, place }),
  })
  if (stored.trim() === '' && !checked && !attachments) throw new VendorError('no_text')
  return {
    text: stored.trim() === '' && checked ? blocksOnly : stored,
    blocks: blocks && ((ts) => nameBlocks(blocks, `${place}:${ts}`)),
    attachments,
    metadata: readMetadata(content.metadata, context),
    ...(cut !== given && { warning: 'message_truncated' as const }),
  }
}

const broadcasts = new Set(['here', 'channel', 'everyone'])

/** `link_names` turns the handles of user groups into mentions; `parse=full` also those of people, channels and all. */
const linkNames = (call: Chat, text: string, { parse, link_names }: Content): string => {
  if (!link_names && parse !== 'full') return text
  const people = text.replace(/(?<![\w<@])@([a-z0-9][a-z0-9._-]*)/g, (whole, handle: string) => {
    const group = call.tables.usergroup.first('handle', handle)
    if (group && group.date_delete === 0) return `<!subteam^${group.id}>`
    const user = parse === 'full' ? call.tables.user.first('name', handle) : undefined
    if (parse === 'full' && broadcasts.has(handle)) return `<!${handle}>`
    return user ? `<@${user.id}>` : whole
  })
  if (parse !== 'full') return people
  return people.replace(/(?<![\w&/#<])#([a-z0-9][a-z0-9_-]*)/g, (whole, name: string) => {
    const channel = call.tables.channel.first('name', name)
    return channel && canSee(call, channel) ? `<#${channel.id}|${channel.name}>` : whole
  })
}

/** Where a message goes: a channel by id or name, or a person, which opens a direct message. */
export const destination = (call: Chat, text: string): ChannelRow => {
  const named = namedChannel(call, text)
  if (named) return named
  const handle = text.startsWith('@') ? call.tables.user.first('name', text.slice(1)) : undefined
  const user = handle ?? call.tables.user.get(text)
  if (!user || user.id === selfOf(call)) throw new VendorError('channel_not_found')
  return openDirect(call, [user.id]).channel
}

/** A channel that the caller may write to. Bots hold `chat:write.public` and need not be in a public one. */
export const writable = (
  call: Chat,
  text: string,
  options: { mustBeIn?: boolean; isReply?: boolean; postingCode?: string } = {},
): ChannelRow => {
  const channel = destination(call, text)
  requireOpen(channel)
  const open = isBotCall(call) && channel.kind === 'public_channel' && !options.mustBeIn
  if (!open) requireMember(call, channel)
  requirePosting(call, channel, { isReply: options.isReply ?? false, code: options.postingCode })
  return channel
}

export const draftOf = (call: Chat, channel: ChannelRow, composed: Composed): Draft => ({
  ...authorOf(call),
  channel,
  text: composed.text,
  blocks: composed.blocks,
  attachments: composed.attachments,
  metadata: composed.metadata,
})

export const replyTarget = (call: Chat, channel: ChannelRow, threadTs: string | undefined) => {
  if (threadTs === undefined || threadTs === '') return undefined
  const root = threadRoot(call, channel, threadTs)
  if (root.subtype?.startsWith('channel_')) throw new VendorError('cannot_reply_to_message')
  return root.ts
}

export const requireAudience = (call: Chat, channel: ChannelRow, user: string): void => {
  if (!isMember(call, channel.id, user)) throw new VendorError('user_not_in_channel')
}
