import { rootFields, trackerSchema } from '../graphql/engine.ts'
import { bareType } from '../lists/filter.ts'
import { upperFirst } from '../lists/relations.ts'
import type { FieldModel } from '../schema/model.ts'

/** Ids of records by their type, from which references are filled. */
export type Known = Map<string, string>
const missing = '00000000-0000-4000-8000-000000000000'

/** What the schema cannot say: that one of several optional fields is needed, or which words are taken. */
const particular: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  agentActivityCreate: { content: { type: 'thought', body: 'Looking' } },
  attachmentCreate: { issueId: 'Issue' },
  commentCreate: { issueId: 'Issue', body: 'A word' },
  customerNeedCreate: { issueId: 'Issue' },
  documentCreate: { projectId: 'Project' },
  templateCreate: { type: 'issue' },
  customerStatusCreate: { name: 'On trial' },
  customerTierCreate: { name: 'Gold' },
  customerUpsert: { name: 'Acme' },
  entityExternalLinkCreate: { projectId: 'Project' },
  favoriteCreate: { issueId: 'Issue' },
  issueCreate: { title: 'A new issue' },
  notificationArchiveAll: { issueId: 'Issue' },
  notificationSubscriptionCreate: { projectId: 'Project' },
  organizationInviteCreate: { email: 'new@northwind.example' },
  projectUpdateCreate: { body: 'All is well' },
  reactionCreate: { issueId: 'Issue' },
  teamMembershipCreate: { userId: 'OtherUser' },
  triageResponsibilityCreate: { action: 'notify' },
  webhookCreate: { allPublicTeams: true },
  workflowStateCreate: { type: 'started' },
  cycleShiftAll: { id: 'Cycle' },
}
const aliases: Readonly<Record<string, string>> = {
  RelatedIssue: 'OtherIssue',
  RelatedProject: 'OtherProject',
  RelatedInitiative: 'OtherInitiative',
  OriginalProjectStatus: 'ProjectStatus',
  NewProjectStatus: 'ProjectStatus',
  SourceCustomer: 'SourceCustomer',
  TargetCustomer: 'Customer',
}

/** The record type that a mutation such as `issueLabelUpdate` is about. */
export const subjectOf = (mutation: string): string => {
  const types = [...trackerSchema.get().types.keys()]
  const name = upperFirst(mutation)
  const found = types.filter((type) => name.startsWith(type)).sort((a, b) => b.length - a.length)
  return found.find((type) => type !== name) ?? name
}

/** Values for the arguments that a root field cannot do without, and for its `id`. */
export const variablesFor = (
  root: 'query' | 'mutation',
  field: FieldModel,
  known: Known,
): Record<string, unknown> => {
  const subject = root === 'mutation' ? subjectOf(field.name) : bareType(field.type)
  const values: Record<string, unknown> = {}
  for (const arg of field.args ?? []) {
    if (arg.name === 'id' && (root === 'query' || arg.type.endsWith('!')))
      values.id = known.get(idSubjects[field.name] ?? subject) ?? missing
    else if (arg.type.endsWith('!')) values[arg.name] = valueFor(arg, subject, known)
  }
  if (typeof values.url === 'string') values.url = `https://example.com/${field.name}`
  const { input } = values
  if (typeof input === 'object' && input !== null)
    for (const [name, value] of Object.entries(particular[field.name] ?? {}))
      Object.assign(input, { [name]: known.get(String(value)) ?? value })
  return values
}
const idSubjects: Readonly<Record<string, string>> = {
  attachmentIssue: 'Attachment',
  customViewHasSubscribers: 'CustomView',
  inboxNotificationUpdate: 'Notification',
  projectStatusProjectCount: 'ProjectStatus',
  teamKeyDelete: 'TeamKey',
  userChangeRole: 'OtherUser',
  userRevokeAllSessions: 'OtherUser',
  userSessions: 'OtherUser',
  userSuspend: 'OtherUser',
  userUnsuspend: 'OtherUser',
}

const valueFor = (field: FieldModel, owner: string, known: Known): unknown => {
  const type = field.type.replace(/!$/, '')
  if (type.startsWith('['))
    return [valueFor({ name: field.name.replace(/s$/, ''), type: type.slice(1, -1) }, owner, known)]
  const model = trackerSchema.get().types.get(type)
  if (model?.kind === 'enum') return model.values?.[0]?.name
  if (model?.kind === 'input') {
    const about = owner === '' ? type : owner
    const required = (model.fields ?? []).filter(
      (one) => one.type.endsWith('!') || (type === 'IssueCreateInput' && one.name === 'title'),
    )
    return Object.fromEntries(required.map((one) => [one.name, valueFor(one, about, known)]))
  }
  const simple = scalars[type]
  if (simple !== undefined) return /^end/.test(field.name) ? '2026-04-01T00:00:00.000Z' : simple
  if (type === 'UUID') return known.get('Issue') ?? missing
  if (field.name === 'color') return '#5e6ad2'
  if (field.name === 'resourceType') return 'Issue'
  if (/^(url|assetUrl)$/.test(field.name)) return `https://example.com/${owner}`
  return /Id$/.test(field.name) ? reference(field.name.slice(0, -2), owner, known) : `A ${field.name}`
}

const scalars: Readonly<Record<string, unknown>> = {
  Int: 3,
  Float: 3,
  Boolean: true,
  DateTime: '2026-03-05T00:00:00.000Z',
  TimelessDate: '2026-03-05',
  JSON: { title: 'From a template' },
  JSONObject: {},
}

const reference = (stem: string, owner: string, known: Known): string => {
  const fields = trackerSchema.get().types.get(owner)?.fields ?? []
  const field = fields.find(({ name }) => name === stem || name === `${stem}s`)
  const target = field ? bareType(field.type).replace(/Connection$/, '') : ''
  const alias = aliases[upperFirst(stem)]
  return (
    known.get(alias ?? target) ??
    known.get(upperFirst(stem)) ??
    known.get(`Issue${upperFirst(stem)}`) ??
    missing
  )
}

/** A document that calls one root field and asks for as little as it can. */
export const documentFor = (operation: string): { field: FieldModel; document: string } | undefined => {
  const [root, name = ''] = operation.split(' ')
  const fields = rootFields(root === 'mutation' ? 'Mutation' : 'Query')
  const field = fields.find((one) => upperFirst(one.name) === name)
  if (!field || (root !== 'query' && root !== 'mutation')) return undefined
  const used = (field.args ?? []).filter(({ name, type }) => name === 'id' || type.endsWith('!'))
  const declared = used.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ')
  const kind = trackerSchema.get().types.get(bareType(field.type))?.kind
  const selection = kind === 'object' || kind === 'interface' || kind === 'union' ? ' { __typename }' : ''
  const args = (list: string) => (list === '' ? '' : `(${list})`)
  return { field, document: `${root}${args(declared)} { ${field.name}${args(passed)}${selection} }` }
}
