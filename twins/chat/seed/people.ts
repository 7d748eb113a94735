import { type Company, integration, type Person, type Seeding } from '@diorama/twin-kit/kernel/twin'
import type { ChatSection } from '../section.ts'
import type { BotRow, TeamRow, UserRow } from '../tables.ts'
import { nativeId } from '../values/ids.ts'
import { seconds } from '../values/time.ts'

/** What the later parts of a seed know of the earlier ones. */
export interface Cast {
  readonly team: TeamRow
  readonly bot: BotRow
  /** Native ids by handle; the integration bot is `bot`. */
  readonly users: ReadonlyMap<string, string>
  readonly company: Company
  /** Handles of guests. */
  readonly guests: ReadonlySet<string>
}

/** The service's own account, which is in every workspace. */
export const slackbot = 'USLACKBOT'
/** How the blueprint names the integration bot as an author. */
export const botAuthor = 'bot'
const year = 365 * 24 * 3_600_000

export const seedPeople = (section: ChatSection, company: Company, seeding: Seeding): Cast => {
  const { organization, people, apiOwner, clock } = company
  const updated = seconds(clock - year)
  const team: TeamRow = {
    id: nativeId('T', seeding.digest('team')),
    name: organization.name,
    domain: organization.slug,
    email_domain: organization.emailDomain,
    description: organization.description,
    created: updated,
  }
  seeding.insert('team', team)
  const users = new Map<string, string>()
  const guests = new Map(
    (section.guests ?? []).map(({ handle, isSingleChannel }) => [handle, isSingleChannel]),
  )
  for (const person of people) {
    const id = nativeId('U', seeding.digest('user', person.handle))
    users.set(person.handle, id)
    const row = personRow({
      id,
      person,
      isOwner: person.handle === apiOwner.handle,
      isSingleChannel: guests.get(person.handle),
      updated,
      seeding,
    })
    seeding.insert('user', row)
  }
  const bot: BotRow = {
    id: nativeId('B', seeding.digest('bot')),
    app_id: nativeId('A', seeding.digest('app')),
    user_id: nativeId('U', seeding.digest('bot user')),
    name: 'Integration Bot',
    deleted: false,
    updated,
  }
  users.set(botAuthor, bot.user_id)
  seeding.insert('bot', bot)
  seeding.insert('user', botRow(bot, updated))
  seeding.insert('user', slackbotRow(updated))
  return { team, bot, users, company, guests: new Set(guests.keys()) }
}

const admins = new Set(['leadership', 'it'])
const colours = ['9f69e7', '4bbe2e', 'e7392d', '3c989f', '674b1b', 'e96699', 'db3150', '5b89d5']

interface PersonRow {
  readonly id: string
  readonly person: Person
  readonly isOwner: boolean
  /** Set for guests alone. */
  readonly isSingleChannel: boolean | undefined
  readonly updated: number
  readonly seeding: Seeding
}

const personRow = ({ id, person, isOwner, isSingleChannel, updated, seeding }: PersonRow): UserRow => {
  const isGuest = isSingleChannel !== undefined
  const hash = seeding.digest('avatar', person.handle)
  return {
    id,
    subject: person.handle,
    name: person.handle,
    real_name: person.name,
    color: colours[Number.parseInt(hash.slice(0, 4), 16) % colours.length] ?? '9f69e7',
    tz: person.timezone,
    profile: {
      title: person.title,
      phone: '',
      skype: '',
      real_name: person.name,
      display_name: person.handle,
      first_name: person.firstName,
      last_name: person.lastName,
      email: person.email,
      status_text: '',
      status_emoji: '',
      status_expiration: 0,
      avatar_hash: hash.slice(0, 12),
      fields: {},
    },
    presence: 'active',
    updated,
    deleted: false,
    is_admin: !isGuest && (isOwner || admins.has(person.department)),
    is_owner: isOwner,
    is_primary_owner: isOwner,
    is_bot: false,
    ...(isGuest && { is_restricted: true, is_ultra_restricted: isSingleChannel }),
  }
}

const serviceAccount = (id: string, name: string, realName: string, updated: number): UserRow => ({
  id,
  subject: '',
  name,
  real_name: realName,
  color: '757575',
  tz: 'America/Los_Angeles',
  profile: {
    title: '',
    phone: '',
    skype: '',
    real_name: realName,
    display_name: realName,
    first_name: realName,
    last_name: '',
    status_text: '',
    status_emoji: '',
    status_expiration: 0,
    avatar_hash: id.toLowerCase().slice(0, 12),
    fields: {},
  },
  presence: 'active',
  updated,
  deleted: false,
  is_admin: false,
  is_owner: false,
  is_primary_owner: false,
  is_bot: false,
})

const botRow = (bot: BotRow, updated: number): UserRow => {
  const account = serviceAccount(bot.user_id, 'integration-bot', bot.name, updated)
  const profile = { ...account.profile, display_name: '', bot_id: bot.id, api_app_id: bot.app_id }
  return { ...account, subject: integration, is_bot: true, profile }
}

/** Its `is_bot` is false in the real service too. */
const slackbotRow = (updated: number): UserRow => serviceAccount(slackbot, 'slackbot', 'Slackbot', updated)
