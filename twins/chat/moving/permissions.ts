import { integration, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Permissions, VariedAct, Withholdable } from '@diorama/twin-kit/variations/variations'
import { factsOf } from '../methods/catalogue.ts'
import type { ChannelRow, ChatTables } from '../tables.ts'
import { type ChatScene, otherChannels } from './scene-channels.ts'

/** Scopes that most tasks can do without, each with the words that speak of it. */
const scopes: Readonly<Record<string, readonly string[]>> = {
  'reactions:write': ['reaction', 'reactions', 'emoji'],
  'reactions:read': ['reaction', 'reactions', 'emoji'],
  'pins:write': ['pin', 'pins', 'pinned'],
  'pins:read': ['pin', 'pins', 'pinned'],
  'bookmarks:write': ['bookmark', 'bookmarks'],
  'bookmarks:read': ['bookmark', 'bookmarks'],
  'files:write': ['file', 'files', 'attach', 'upload'],
  'files:read': ['file', 'files', 'attachment', 'attached'],
  'usergroups:read': ['group', 'groups'],
  'channels:manage': ['topic', 'purpose', 'archive', 'rename'],
}
/** The scope by which a bot reads messages, by the kind of conversation that it is missed in. */
const historyScopes: Readonly<Record<string, string>> = {
  private_channel: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
}

export const permissions: Permissions<ChatTables> = {
  withholdable: (scene) => [
    ...Object.entries(scopes)
      .filter(([, words]) => !words.some(scene.isMentioned))
      .map(([permission]) => ({ permission })),
    ...unreadKinds(scene).map((permission) => ({ permission })),
    ...otherChannels(scene).map(({ id }) => ({ permission: `${writingIn}${id}` })),
    ...memberships(scene),
  ],
  needs: (operation, input, views) => {
    const named = String((input as { channel?: unknown } | null)?.channel ?? '').replace(/^#/, '')
    const channel = views.channel.get(named) ?? views.channel.first('name', named)
    const own = views.user.first('subject', integration)?.id
    const isOut =
      channel && ![...views.channel_member.find('channel', channel.id)].some(({ user }) => user === own)
    return [
      scopeFor(operation, channel),
      channel && writesIn.test(operation) ? `${writingIn}${channel.id}` : '',
      isOut && readsIn.test(operation) ? `${memberOf}${channel.id}` : '',
    ].filter((need) => need !== '')
  },
  // Who is not in a channel is refused by the rules of channels.
  refusal: (permission) =>
    permission.startsWith(memberOf)
      ? undefined
      : permission.startsWith(writingIn)
        ? new VendorError('restricted_action')
        : new VendorError('missing_scope', 'missing_scope', { data: { needed: permission } }),
}

const writesIn = /^chat\.|^conversations\.(set|archive|rename|invite|kick)/
const readsIn = /^conversations\.(history|replies|mark)$|^(pins|bookmarks)\./
/** Permission to write in one conversation, by its id. */
const writingIn = 'writing in '
/** Membership of one channel, by its id. */
const memberOf = 'membership of '

/** Of several scopes one is enough, by the kind of conversation; that of public channels is taken for the rest. */
const scopeFor = (operation: string, channel: ChannelRow | undefined): string => {
  const needed = factsOf(operation)?.bot ?? []
  if (needed.length <= 1) return needed[0] ?? ''
  const history = historyScopes[channel?.kind ?? ''] ?? ''
  return needed.includes(history) ? history : (needed.find((one) => one === 'channels:manage') ?? '')
}

/** Kinds of conversations of which the task names none. */
const unreadKinds = (scene: ChatScene): string[] => {
  const named = new Set(
    [...scene.views.channel.all()]
      .filter((channel) => scene.isNamed('channel', channel))
      .map(({ kind }): string => kind),
  )
  return Object.entries(historyScopes).flatMap(([kind, scope]) => (named.has(kind) ? [] : [scope]))
}

/** Channels that the agent is in and the task does not name: somebody takes the agent out. */
const memberships = (scene: ChatScene): Withholdable[] => {
  const { views } = scene
  const own = views.user.first('subject', integration)
  return [...views.channel_member.find('user', own?.id ?? '')].flatMap(({ channel: id }) => {
    const channel = views.channel.get(id)
    if (!channel || !/_channel$/.test(channel.kind) || channel.is_general || channel.is_archived) return []
    const acts = scene.isNamed('channel', channel) ? [] : takenOut(scene, channel)
    return acts.length === 0 ? [] : [{ permission: `${memberOf}${id}`, acts }]
  })
}

const takenOut = (scene: ChatScene, channel: ChannelRow): VariedAct[] => {
  const members = [...scene.views.channel_member.find('channel', channel.id)]
  const handles = members
    .filter(({ user }) => channel.kind === 'private_channel' || user === channel.creator)
    .map(({ user }) => scene.views.user.get(user)?.subject ?? '')
  const as = handles.find((handle) => scene.people.includes(handle))
  return as === undefined
    ? []
    : [
        {
          as,
          operation: 'conversations.kick',
          input: { channel: channel.id, user: { $person: 'agent' } },
          what: `takes the agent out of #${channel.name}`,
        },
      ]
}
