import type { Reading, SourcePlace } from '@diorama/twin-kit/datasets/dataset'
import { integration } from '@diorama/twin-kit/kernel/twin'
import type { BotRow, UserRow } from '../tables.ts'
import { capitals, memberId } from '../values/ids.ts'
import { emptyProfile, serviceAccount } from './accounts.ts'

/** The people that a reader has met, and who of them the twin's own token acts as. */
export interface ReadPeople {
  readonly has: (id: string) => boolean
  readonly add: (row: UserRow, place: SourcePlace) => Promise<void>
  /** Somebody whom the data mentions and does not describe. */
  readonly need: (id: string, place: SourcePlace) => Promise<void>
  /** After the last channel: an integration, where nobody was named for it, that is in the public channels. */
  readonly finish: (publicChannels: readonly string[]) => Promise<void>
}

export const readPeople = (reading: Reading): ReadPeople => {
  const known = new Set<string>()
  const subjects = new Set<string>()
  let acting: UserRow | undefined

  const isActing = ({ id, name, profile }: UserRow): boolean =>
    reading.actsAs !== undefined && [id, name, profile.email].includes(reading.actsAs)

  const add = async (given: UserRow, place: SourcePlace): Promise<void> => {
    if (known.has(given.id)) return
    known.add(given.id)
    const isOwn = acting === undefined && isActing(given)
    const subject = isOwn ? integration : subjects.has(given.name) ? given.id : given.name
    subjects.add(subject)
    const row = { ...given, subject }
    if (isOwn) acting = row
    await reading.insert('user', row, place)
  }

  const need = async (id: string, place: SourcePlace): Promise<void> => {
    if (known.has(id) || id === '') return
    reading.warn(`${id} is mentioned and not described; a deleted account takes its place`)
    await add({ ...serviceAccount(id, id.toLowerCase(), id, 0), deleted: true }, place)
  }

  const finish = async (publicChannels: readonly string[]): Promise<void> => {
    if (reading.actsAs !== undefined && !acting)
      reading.fault({ file: 'users' }, `nobody is ${reading.actsAs}, whom the token is to act as`)
    const digest = reading.digest('integration')
    const bot: BotRow = {
      id: acting?.profile.bot_id ?? `B0${capitals(digest, 9)}`,
      app_id: acting?.profile.api_app_id ?? `A0${capitals(digest, 9)}`,
      user_id: acting?.id ?? `U0${capitals(digest, 9)}`,
      name: acting?.real_name ?? 'Integration Bot',
      deleted: false,
      updated: 0,
    }
    const place = { file: 'users' }
    await reading.insert('bot', bot, place)
    if (acting) return
    const account = serviceAccount(bot.user_id, 'integration-bot', bot.name, 0)
    const profile = { ...account.profile, display_name: '', bot_id: bot.id, api_app_id: bot.app_id }
    await reading.insert('user', { ...account, subject: integration, is_bot: true, profile }, place)
    for (const channel of publicChannels)
      await reading.insert(
        'channel_member',
        { id: memberId(channel, bot.user_id), channel, user: bot.user_id, joined: 0 },
        place,
      )
  }

  return { has: (id) => known.has(id), add, need, finish }
}

/** A person of whom little is known. */
export const personRow = (
  person: Pick<UserRow, 'id' | 'name' | 'real_name'> & { email?: string; display_name?: string; tz?: string },
): UserRow => {
  const [first = '', ...rest] = person.real_name.split(' ')
  return {
    ...serviceAccount(person.id, person.name, person.real_name, 0),
    tz: person.tz ?? 'Etc/UTC',
    profile: {
      ...emptyProfile,
      real_name: person.real_name,
      display_name: person.display_name ?? person.name,
      first_name: first,
      last_name: rest.join(' '),
      ...(person.email && { email: person.email }),
      avatar_hash: person.id.toLowerCase().slice(0, 12),
    },
  }
}
