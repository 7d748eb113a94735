import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { botOf, isAdmin, isBotCall, knownUser, selfOf, teamOf } from '../../access.ts'
import { flag, int, method, str } from '../../methods/method.ts'
import { nextCursor } from '../../methods/pages.ts'
import { botShape } from '../../shapes/user.ts'
import type { Chat } from '../../tables.ts'
import { nowSeconds } from '../../values/time.ts'
import { workspaceUrl } from '../../wire/urls.ts'

const iconSizes = [34, 44, 68, 88, 102, 132, 230]

const teamIcon = (call: Chat) => ({
  ...Object.fromEntries(
    iconSizes.map((size) => [
      `image_${size}`,
      `${workspaceUrl(call)}/avatars/${teamOf(call).id.toLowerCase()}_${size}.png`,
    ]),
  ),
  image_default: true,
})

/** Emoji that this workspace added to the standard ones. */
const customEmoji = (call: Chat): Record<string, string> => ({
  squirrel: `${workspaceUrl(call)}/emoji/squirrel.png`,
  simple_smile: `${workspaceUrl(call)}/emoji/simple_smile.png`,
  shipit: 'alias:squirrel',
})

export const teamMethods = {
  'team.billableInfo': method({
    effect: 'read',
    args: { user: str, cursor: str, limit: int, team_id: str },
    run: (call, args) => {
      if (!isAdmin(call)) throw new VendorError('no_permission')
      const rows = args.user ? [knownUser(call, args.user)] : [...call.tables.user.find('all', 'all')]
      const people = rows.filter(({ is_bot, subject }) => !is_bot && subject !== '')
      return {
        billable_info: Object.fromEntries(
          people.map(({ id, deleted }) => [id, { billing_active: !deleted }]),
        ),
      }
    },
  }),
  'auth.test': method({
    effect: 'read',
    args: {},
    run: (call) => {
      const team = teamOf(call)
      const user = knownUser(call, selfOf(call))
      return {
        url: `${workspaceUrl(call)}/`,
        team: team.name,
        user: user.name,
        team_id: team.id,
        user_id: user.id,
        ...(isBotCall(call) && { bot_id: botOf(call).id }),
        is_enterprise_install: false,
      }
    },
  }),
  'auth.teams.list': method({
    effect: 'read',
    args: { cursor: str, include_icon: flag, limit: int },
    run: (call, args) => {
      const { id, name } = teamOf(call)
      return { teams: [{ id, name, ...(args.include_icon && { icon: teamIcon(call) }) }], ...nextCursor('') }
    },
  }),
  'team.info': method({
    effect: 'read',
    args: { team: str, domain: str },
    run: (call, args) => {
      const team = teamOf(call)
      if ((args.team && args.team !== team.id) || (args.domain && args.domain !== team.domain))
        throw new VendorError('team_not_found')
      return {
        team: {
          id: team.id,
          name: team.name,
          url: `${workspaceUrl(call)}/`,
          domain: team.domain,
          email_domain: team.email_domain,
          icon: teamIcon(call),
          avatar_base_url: `${workspaceUrl(call)}/avatars/`,
          is_verified: false,
        },
      }
    },
  }),
  'team.profile.get': method({
    effect: 'read',
    args: { visibility: str },
    run: () => ({ profile: { fields: [], sections: [] } }),
  }),
  'team.preferences.list': method({
    effect: 'read',
    args: {},
    run: () => ({
      allow_message_deletion: true,
      display_real_names: true,
      disable_file_uploads: 'allow_all',
      msg_edit_window_mins: -1,
      who_can_post_general: 'ra',
    }),
  }),
  'team.billing.info': method({ effect: 'read', args: {}, run: () => ({ plan: 'plus' }) }),
  'emoji.list': method({
    effect: 'read',
    args: { include_categories: flag },
    run: (call) => ({ emoji: customEmoji(call), cache_ts: `${nowSeconds(call)}.000000` }),
  }),
  'bots.info': method({
    effect: 'read',
    args: { bot: str, team_id: str },
    run: (call, args) => {
      const bot = args.bot ? call.tables.bot.get(args.bot) : botOf(call)
      if (!bot) throw new VendorError('bot_not_found')
      return { bot: botShape(call, bot) }
    },
  }),
}
