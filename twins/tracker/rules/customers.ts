import type { Row } from '@diorama/twin-kit/kernel/table'
import { find, type TrackerCall } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { inputError } from '../shapes/refusals.ts'

type Input = Readonly<Record<string, unknown>>

/** Domains that belong to everybody and therefore to no customer. */
const publicDomains = new Set([
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'live.com',
  'yahoo.com',
  'icloud.com',
  'me.com',
  'aol.com',
  'proton.me',
  'protonmail.com',
  'gmx.com',
  'gmx.de',
  'mail.com',
  'qq.com',
  '163.com',
])

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Whatever identifies a customer is not shared with another, and references are valid. */
export const checkCustomer = (
  call: TrackerCall,
  { input, columns, row }: { input: Input; columns: Row; row?: EntityRow },
): void => {
  const others = [...call.tables.Customer.all()].filter(
    (other) => other.id !== row?.id && other.archivedAt === null,
  )
  for (const domain of listOf(input.domains)) {
    if (publicDomains.has(domain.toLowerCase()))
      throw inputError('Invalid domain', `Public email domains such as ${domain} are not allowed.`)
    if (others.some((other) => listOf(other.domains).includes(domain)))
      throw inputError('Duplicate domain', `The domain ${domain} is already used by another customer.`)
  }
  for (const id of listOf(input.externalIds))
    if (others.some((other) => listOf(other.externalIds).includes(id)))
      throw inputError('Duplicate external id', `The external id ${id} is already used by another customer.`)
  const { slackChannelId, mainSourceId } = input
  if (typeof slackChannelId === 'string' && others.some((other) => other.slackChannelId === slackChannelId))
    throw inputError('Duplicate Slack channel', 'The Slack channel is already linked to another customer.')
  if (typeof mainSourceId === 'string' && !listOf(input.externalIds).includes(mainSourceId))
    throw inputError('Invalid main source', 'mainSourceId must be one of the values in externalIds.')
  if (find(call, 'User', columns.ownerId)?.app === true)
    throw inputError('Invalid owner', 'App users cannot be set as customer owners.')
}
