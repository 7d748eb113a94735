import type { Seeding } from '@diorama/twin-kit/kernel/twin'
import type { ChatSection } from '../section.ts'
import type { ChannelRow } from '../tables.ts'
import { memberId, nativeId } from '../values/ids.ts'
import { seconds } from '../values/time.ts'
import { botAuthor, type Cast } from './people.ts'

type ChannelBlueprint = ChatSection['channels'][number]

/** A channel with what its messages need to know of it. */
export interface SeededChannel {
  readonly row: ChannelRow
  /** Native ids, the creator first. */
  readonly members: readonly string[]
  readonly createdMs: number
  readonly firstMessageMs: number
}

const month = 30 * 24 * 3_600_000

/**
 * Everyone belongs to a channel that names no members. The integration bot belongs to every public channel, and to a
 * private one when it speaks there or when the API owner, whose counterpart it is, belongs to it.
 */
export const seedChannels = (
  section: ChatSection,
  cast: Cast,
  seeding: Seeding,
): ReadonlyMap<string, SeededChannel> => {
  const times = section.messages.map(({ at }) => Date.parse(at))
  const start = Math.min(cast.company.clock, ...times)
  const channels = new Map<string, SeededChannel>()
  for (const [n, blueprint] of section.channels.entries()) {
    const own = section.messages.filter(({ channel }) => channel === blueprint.name)
    const speakers = new Set(own.map(({ author }) => author))
    const handles = membersOf(blueprint, speakers, cast)
    const members = handles.flatMap((handle) => cast.users.get(handle) ?? [])
    const firstMessageMs = Math.min(cast.company.clock, ...own.map(({ at }) => Date.parse(at)))
    const told =
      blueprint.createdAt === null ? start - month - n * 3_600_000 : Date.parse(blueprint.createdAt)
    const createdMs = Math.min(told, firstMessageMs - 60_000)
    if (createdMs < told)
      seeding.warn(
        `/channels/${n}/createdAt`,
        'is after the first message of the channel; an earlier time was used',
      )
    const row = channelRow(blueprint, members[0] ?? cast.bot.user_id, createdMs, seeding)
    seeding.insert('channel', row)
    seeding.key('channel', blueprint.name, row.id)
    for (const [place, user] of members.entries())
      seeding.insert('channel_member', {
        id: memberId(row.id, user),
        channel: row.id,
        user,
        joined: createdMs * 1_000 + place,
      })
    channels.set(blueprint.name, { row, members, createdMs, firstMessageMs })
  }
  return channels
}

const membersOf = (
  blueprint: ChannelBlueprint,
  speakers: ReadonlySet<string>,
  { company, guests }: Cast,
): string[] => {
  const everyone = company.people.map(({ handle }) => handle).filter((handle) => !guests.has(handle))
  const named = blueprint.members.length > 0 ? blueprint.members : everyone
  const creator = blueprint.createdBy ?? named[0]
  const people = [...new Set([...(creator ? [creator] : []), ...named, ...speakers])].filter(
    (handle) => handle !== botAuthor,
  )
  const withBot =
    !blueprint.isPrivate ||
    speakers.has(botAuthor) ||
    named.includes(botAuthor) ||
    named.includes(company.apiOwner.handle)
  return withBot ? [...people, botAuthor] : people
}

const channelRow = (
  blueprint: ChannelBlueprint,
  creator: string,
  createdMs: number,
  seeding: Seeding,
): ChannelRow => {
  const note = (value: string) => ({
    value,
    creator: value === '' ? '' : creator,
    last_set: value === '' ? 0 : seconds(createdMs),
  })
  return {
    id: nativeId('C', seeding.digest('channel', blueprint.name)),
    name: blueprint.name,
    kind: blueprint.isPrivate ? 'private_channel' : 'public_channel',
    created: seconds(createdMs),
    creator,
    is_archived: blueprint.isArchived,
    is_general: blueprint.name === 'general',
    topic: note(blueprint.topic),
    purpose: note(blueprint.purpose),
    previous_names: [],
    updated: createdMs,
    ...(blueprint.posting && blueprint.posting !== 'everyone' && { posting: blueprint.posting }),
    ...(blueprint.sharedWith && {
      connected_teams: [nativeId('T', seeding.digest('connected team', blueprint.sharedWith))],
    }),
  }
}
