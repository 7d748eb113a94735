import { type Seen, teamOf } from '../access.ts'
import { zoneAt } from '../operations/people/zone.ts'
import type { BotRow, UserRow } from '../tables.ts'
import { workspaceUrl } from '../wire/urls.ts'

type Shape = Record<string, unknown>

const avatarSizes = [24, 32, 48, 72, 192, 512]

const avatars = (call: Seen, hash: string, sizes: readonly number[] = avatarSizes): Shape => {
  const start = `${workspaceUrl(call)}/avatars/${hash}_`
  const images: Shape = {}
  for (const size of sizes) images[`image_${size}`] = `${start}${size}.png`
  return images
}

export const profileShape = (call: Seen, row: UserRow, labels = false): Shape => {
  const { profile } = row
  const { fields, bot_id, api_app_id, email, pronouns, start_date, ...own } = profile
  return {
    ...own,
    real_name_normalized: profile.real_name,
    display_name_normalized: profile.display_name,
    fields: Object.keys(fields).length > 0 ? labelled(fields, labels) : row.is_bot ? null : {},
    status_emoji_display_info: [],
    pronouns: pronouns ?? '',
    start_date: start_date ?? '',
    huddle_state: 'default_unset',
    huddle_state_expiration_ts: 0,
    ...(email !== undefined && { email }),
    ...(bot_id !== undefined && { bot_id, api_app_id, always_active: true }),
    ...avatars(call, profile.avatar_hash),
    status_text_canonical: '',
  }
}

const labelled = (fields: UserRow['profile']['fields'], labels: boolean): Shape =>
  Object.fromEntries(
    Object.entries(fields).map(([id, field]) => [id, labels ? { ...field, label: id } : field]),
  )

export const userShape = (call: Seen, row: UserRow, locale = false): Shape => {
  const team_id = teamOf(call).id
  const { fields: _, ...own } = profileShape(call, row)
  const profile = { ...own, team: team_id }
  if (row.deleted)
    return {
      id: row.id,
      team_id,
      name: row.name,
      deleted: true,
      profile,
      is_bot: row.is_bot,
      is_app_user: false,
      updated: row.updated,
      is_forever: false,
    }
  const zone = zoneAt(row.tz, call.now)
  return {
    id: row.id,
    team_id,
    name: row.name,
    deleted: false,
    color: row.color,
    real_name: row.real_name,
    tz: row.tz,
    tz_label: zone.label,
    tz_offset: zone.offsetSeconds,
    profile,
    is_admin: row.is_admin,
    is_owner: row.is_owner,
    is_primary_owner: row.is_primary_owner,
    is_restricted: row.is_restricted ?? false,
    is_ultra_restricted: row.is_ultra_restricted ?? false,
    is_bot: row.is_bot,
    is_app_user: false,
    updated: row.updated,
    is_email_confirmed: !row.is_bot && row.subject !== '',
    has_2fa: false,
    who_can_share_contact_card: 'EVERYONE',
    ...(locale && { locale: 'en-US' }),
  }
}

export const botShape = (call: Seen, bot: BotRow): Shape => ({
  id: bot.id,
  deleted: bot.deleted,
  name: bot.name,
  updated: bot.updated,
  app_id: bot.app_id,
  user_id: bot.user_id,
  icons: avatars(call, bot.id.toLowerCase(), [36, 48, 72]),
})

export const botProfile = (call: Seen, bot: BotRow): Shape => ({
  ...botShape(call, bot),
  team_id: teamOf(call).id,
})
