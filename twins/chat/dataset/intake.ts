import type { Adding, DatasetCompany, DatasetIntake, Report } from '@diorama/twin-kit/datasets/dataset'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { slackbot } from '../seed/people.ts'
import type { UserRow } from '../tables.ts'
import { capitals, messageId } from '../values/ids.ts'
import { microsOf } from '../values/time.ts'
import { serviceAccount, teamRow } from './accounts.ts'

/** References to people are judged after the last row: people come last in the order of collections. */
interface Waiting {
  readonly id: string
  readonly report: Report
  readonly field: string
}

/**
 * Follows the rows of a workspace: messages and members need their channels and people, and the clocks of channels
 * are set here where they were not given. Only people and channels are held in memory, never messages.
 */
export const chatIntake = (company: DatasetCompany): DatasetIntake => {
  const channels = new Set<string>()
  const users = new Map<string, { subject: string; isBot: boolean }>()
  const waiting = new Map<string, Waiting>()
  const clocks = new Map<string, number>()
  let teams = 0
  let bots = 0

  const needsChannel = (row: Row, report: Report): void => {
    if (!channels.has(String(row.channel))) report('channel', 'names a channel that is not there')
  }
  const needsUser = (id: unknown, field: string, report: Report): void => {
    if (typeof id === 'string' && !waiting.has(id)) waiting.set(id, { id, report, field })
  }
  const countMessage = (row: Row): void => {
    const channel = String(row.channel)
    clocks.set(channel, Math.max(clocks.get(channel) ?? 0, microsOf(String(row.ts))))
  }

  return {
    row: (collection, row, report) => {
      switch (collection) {
        case 'team':
          teams++
          return
        case 'bot':
          bots++
          return
        case 'channel':
          channels.add(String(row.id))
          return
        case 'channel_member':
          needsChannel(row, report)
          return needsUser(row.user, 'user', report)
        case 'message':
          if (row.id !== messageId(String(row.channel), String(row.ts)))
            report('id', 'must be the channel, a colon and the ts')
          needsChannel(row, report)
          return countMessage(row)
        case 'user':
          users.set(String(row.id), { subject: String(row.subject), isBot: row.is_bot === true })
          return
      }
    },
    end: (adding) => {
      for (const { id, field, report } of waiting.values())
        if (!users.has(id)) report(field, 'names a user who is not there')
      for (const [id, last] of clocks) adding.insert('channel_clock', { id, last })
      if (teams === 0) adding.insert('team', teamRow(company))
      addAccounts({ company, users, hasBot: bots > 0, adding })
    },
  }
}

/** Every workspace has an integration, which the twin's own token acts as, and the service's own account. */
const addAccounts = ({
  company,
  users,
  hasBot,
  adding,
}: {
  company: DatasetCompany
  users: ReadonlyMap<string, { subject: string; isBot: boolean }>
  hasBot: boolean
  adding: Adding
}): void => {
  const updated = Math.floor(company.clock / 1_000)
  if (!users.has(slackbot)) adding.insert('user', serviceAccount(slackbot, 'slackbot', 'Slackbot', updated))
  const own = [...users].find(([, { subject }]) => subject === integration)?.[0]
  const digest = sha256(JSON.stringify(['chat dataset', company.organization.slug]))
  const bot = {
    id: `B0${capitals(digest, 9)}`,
    app_id: `A0${capitals(digest, 9)}`,
    user_id: own ?? `U0${capitals(digest, 9)}`,
    name: 'Integration Bot',
    deleted: false,
    updated,
  }
  if (!hasBot) adding.insert('bot', bot)
  if (own !== undefined) return
  const account: UserRow = serviceAccount(bot.user_id, 'integration-bot', bot.name, updated)
  adding.insert('user', {
    ...account,
    subject: integration,
    is_bot: true,
    profile: { ...account.profile, display_name: '', bot_id: bot.id, api_app_id: bot.app_id },
  })
}
