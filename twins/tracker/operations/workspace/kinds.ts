import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import { needManager, needOwner, needRole, rankOf, roleOf } from '../../rules/access.ts'
import { checkExclusive, checkLengths, checkOneOf, checkUrl } from '../../rules/lengths.ts'
import { contentId } from '../../shapes/issue.ts'
import { forbidden, inputError } from '../../shapes/refusals.ts'
import { editorText } from '../../values/text.ts'
import { day, iso } from '../../values/times.ts'
import { crud, type Kind, type Operations } from '../crud.ts'
import { type Input, needText, newId, newSlugId, plain } from '../records.ts'

export const body = (input: Input): { body: string } | Record<string, never> =>
  typeof input.body === 'string'
    ? { body: input.body }
    : input.bodyData
      ? { body: editorText(input.bodyData) }
      : {}

/** New records go to the end of lists that people order by hand. */
const last = (call: TrackerCall, type: 'Document' | 'Template' | 'Roadmap'): number =>
  call.tables[type].size() * 100

/** Of the columns that say what a record hangs on, at least one must be set. */
export const needOne = (input: Input, columns: readonly string[], what: string): void => {
  if (columns.some((column) => typeof input[column] === 'string')) return
  throw inputError(`${what} has no parent`, `One of ${columns.join(', ')} must be set.`)
}

const withoutNull = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

/** What a document can be in. */
const containers = ['projectId', 'initiativeId', 'teamId', 'issueId', 'releaseId', 'cycleId'] as const

/** A document is in exactly one record; a sub-document is where its parent is. */
const checkContainer = (call: TrackerCall, input: Input, columns: Row): void => {
  const given = containers.filter((name) => typeof input[name] === 'string')
  if (given.length > 1)
    throw inputError('Document has several parents', `Only one of ${given.join(', ')} can be set.`)
  const parent = find(call, 'Document', columns.parentDocumentId)
  if (parent && containers.some((name) => (columns[name] ?? null) !== (parent[name] ?? null)))
    throw inputError(
      'Invalid parent document',
      'The document must be in the same place as its parent document.',
    )
  if (typeof input.subDocumentSortOrder === 'number' && !parent)
    throw inputError('Invalid sort order', 'subDocumentSortOrder requires parentDocumentId.')
}

const documents: Kind = {
  type: 'Document',
  has: ['Create', 'Update', 'Delete', 'Unarchive'],
  trash: true,
  start: (call, input, columns) => {
    needOne(input, [...containers, 'parentDocumentId'], 'Document')
    checkContainer(call, input, columns)
    return {
      icon: null,
      color: null,
      content: null,
      trashed: null,
      sortOrder: last(call, 'Document'),
      ...withoutNull({
        sortOrder: input.sortOrder,
        content: input.content,
        icon: input.icon,
        color: input.color,
      }),
      title: needText(input, 'title'),
      slugId: newSlugId(call),
      documentContentId: contentId(newId(call)),
      creatorId: actorId(call),
      updatedById: actorId(call),
      ownerId: input.ownerId === undefined ? actorId(call) : input.ownerId,
    }
  },
  revise: (call, row, input, columns) => {
    checkContainer(call, input, { ...columns, parentDocumentId: columns.parentDocumentId ?? null })
    if (typeof input.personalUserId === 'string' && input.personalUserId !== actorId(call))
      throw inputError('Invalid personal user', 'personalUserId must be the acting user.')
    if (typeof input.title === 'string') needText(input, 'title')
    const moves = containers.some((name) => typeof columns[name] === 'string' && columns[name] !== row[name])
    return {
      ...(moves ? Object.fromEntries(containers.map((name) => [name, columns[name] ?? null])) : {}),
      updatedById: actorId(call),
      ...(input.trashed === undefined
        ? {}
        : {
            trashed: input.trashed === true ? true : null,
            archivedAt: input.trashed === true ? iso(call.now) : null,
          }),
    }
  },
}

const posted = (type: 'ProjectUpdate' | 'InitiativeUpdate'): Kind => ({
  type,
  has:
    type === 'ProjectUpdate'
      ? ['Create', 'Update', 'Archive', 'Unarchive', 'Delete']
      : ['Create', 'Update', 'Archive', 'Unarchive'],
  start: (call, input) => ({
    body: '',
    health: 'onTrack',
    editedAt: null,
    ...withoutNull({ health: input.health }),
    ...body(input),
    slugId: newSlugId(call).slice(0, 8),
    userId: actorId(call),
  }),
  guard: (call, row, verb) => {
    if (verb === 'Update') needOwner(call, row.userId, 'author of the update')
  },
  revise: (call, _row, input) => ({
    ...body(input),
    ...(input.body === undefined ? {} : { editedAt: iso(call.now) }),
  }),
})

const templates: Kind = {
  type: 'Template',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => {
    needManager(call, { teamId: columns.teamId, what: 'template' })
    checkOneOf(input, 'type', templateTypes)
    if (input.type === 'releaseNote' && typeof input.pipelineId !== 'string')
      throw inputError('Invalid template', 'pipelineId is required for templates of type releaseNote.')
    if (typeof input.pipelineId === 'string' && input.type !== 'releaseNote')
      throw inputError('Invalid template', 'pipelineId can only be set on templates of type releaseNote.')
    return {
      teamId: columns.teamId ?? null,
      description: input.description ?? null,
      templateData: plain(input.templateData) ?? {},
      sortOrder: input.sortOrder ?? last(call, 'Template'),
      creatorId: actorId(call),
      lastUpdatedById: actorId(call),
    }
  },
  guard: (call, { teamId }) => needManager(call, { teamId, what: 'template' }),
  revise: (call, _row, input) => ({
    lastUpdatedById: actorId(call),
    ...(input.templateData === undefined ? {} : { templateData: plain(input.templateData) }),
  }),
}
const templateTypes = ['issue', 'project', 'document', 'recurringIssue', 'releaseNote']

const customViews: Kind = {
  type: 'CustomView',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => ({
    name: needText(input, 'name'),
    teamId: columns.teamId ?? null,
    description: input.description ?? null,
    filterData: plain(input.filterData) ?? {},
    projectFilterData: plain(input.projectFilterData) ?? null,
    initiativeFilterData: plain(input.initiativeFilterData) ?? null,
    shared: input.shared ?? false,
    feedItemFilterData: plain(input.feedItemFilterData) ?? null,
    modelName: modelOf(input),
    slugId: newSlugId(call),
    creatorId: actorId(call),
    ownerId: columns.ownerId ?? actorId(call),
    updatedById: actorId(call),
  }),
  guard: (call, row) => {
    if (row.shared !== true) needOwner(call, row.ownerId, 'owner of the view')
  },
  revise: (call, row, input) => {
    const after = { ...row, ...input }
    if (typeof input.name === 'string') needText(input, 'name')
    return {
      updatedById: actorId(call),
      modelName: modelOf(after),
      ...Object.fromEntries(
        ['filterData', 'projectFilterData', 'initiativeFilterData', 'feedItemFilterData']
          .filter((name) => name in input)
          .map((name) => [name, plain(input[name]) ?? (name === 'filterData' ? {} : null)]),
      ),
    }
  },
}

/** Which of its filters a view has says what it shows. */
const modelOf = (view: Input): string =>
  view.projectFilterData
    ? 'Project'
    : view.initiativeFilterData
      ? 'Initiative'
      : view.feedItemFilterData
        ? 'FeedItem'
        : 'Issue'

const invites: Kind = {
  type: 'OrganizationInvite',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input) => {
    const email = needText(input, 'email')
    if (call.tables.User.first('email', email))
      throw inputError('User already exists', `${email} is already a member of the workspace.`)
    if (call.tables.User.get(actorId(call))?.guest === true) throw forbidden('Guests cannot invite users.')
    needRole(call, 'invitationsRole')
    if (rankOf(input.role ?? 'user') > rankOf(roleOf(call.tables.User.get(actorId(call)))))
      throw forbidden('You cannot invite users with a role above your own.')
    return {
      email,
      role: input.role ?? 'user',
      external: false,
      acceptedAt: null,
      expiresAt: iso(call.now + 30 * day),
      inviterId: actorId(call),
      inviteeId: null,
      metadata: plain(input.metadata) ?? null,
    }
  },
}

const simple: readonly Kind[] = [
  {
    type: 'RoadmapToProject',
    has: ['Create', 'Update', 'Delete'],
    start: (_call, input) => ({ sortOrder: String(input.sortOrder ?? 0) }),
  },
  {
    type: 'Roadmap',
    has: ['Create', 'Update', 'Delete', 'Archive', 'Unarchive'],
    start: (call, input, columns) => ({
      description: input.description ?? null,
      sortOrder: input.sortOrder ?? last(call, 'Roadmap'),
      slugId: newSlugId(call),
      creatorId: actorId(call),
      ownerId: columns.ownerId ?? actorId(call),
    }),
  },
  {
    type: 'EntityExternalLink',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input) => {
      needOne(input, ['projectId', 'initiativeId', 'teamId', 'releaseId', 'cycleId'], 'Link')
      checkExclusive(input, ['projectId', 'initiativeId', 'teamId', 'releaseId', 'cycleId'])
      checkUrl(input)
      needText(input, 'label')
      return { sortOrder: input.sortOrder ?? 0, creatorId: actorId(call) }
    },
  },
  {
    type: 'Emoji',
    has: ['Create', 'Delete'],
    start: (call, input) => {
      const name = needText(input, 'name')
      if (call.tables.Emoji.first('name', name))
        throw inputError('Duplicate emoji name', `An emoji named "${name}" already exists.`)
      return { source: 'user', creatorId: actorId(call) }
    },
  },
  {
    type: 'ProjectMilestone',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input, columns) => {
      checkLengths('ProjectMilestone', input)
      return {
        description: input.description ?? null,
        targetDate: columns.targetDate ?? null,
        name: needText(input, 'name'),
        sortOrder:
          input.sortOrder ?? call.tables.ProjectMilestone.count('projectId', String(columns.projectId)),
      }
    },
    revise: (_call, _row, input) => {
      checkLengths('ProjectMilestone', input)
      if (typeof input.name === 'string') needText(input, 'name')
      return {}
    },
    gone: (call, row) => {
      for (const issue of [...call.tables.Issue.find('projectMilestoneId', row.id)])
        call.tables.Issue.update(issue.id, { projectMilestoneId: null })
    },
  },
  {
    type: 'TimeSchedule',
    has: ['Create', 'Update', 'Delete'],
    start: (_call, input) => ({ entries: plain(input.entries) ?? [] }),
    revise: (_call, _row, input) => (input.entries ? { entries: plain(input.entries) } : {}),
  },
  {
    type: 'TriageResponsibility',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input, columns) => {
      checkOneOf(input, 'action', ['assign', 'notify'])
      const there = [...call.tables.TriageResponsibility.find('teamId', String(columns.teamId))]
      if (there.some(({ archivedAt }) => archivedAt === null))
        throw inputError('Duplicate triage responsibility', 'The team already has a triage responsibility.')
      return { manualSelection: plain(input.manualSelection) ?? null }
    },
    revise: (_call, _row, input) => {
      checkOneOf(input, 'action', ['assign', 'notify'])
      return input.manualSelection === undefined
        ? {}
        : { manualSelection: plain(input.manualSelection) ?? null }
    },
  },
]

/** A reaction is on one record; the same person reacts with the same emoji once. */
const reactions: Kind = {
  type: 'Reaction',
  has: ['Create', 'Delete'],
  start: (call, input, columns) => {
    needOne(input, ['issueId', 'commentId', 'projectUpdateId', 'initiativeUpdateId'], 'Reaction')
    checkExclusive(input, ['issueId', 'commentId', 'projectUpdateId', 'initiativeUpdateId'])
    const emoji = needText(input, 'emoji').replace(/^:|:$/g, '')
    for (const column of ['issueId', 'commentId', 'projectUpdateId', 'initiativeUpdateId']) {
      const on = columns[column]
      if (typeof on !== 'string') continue
      const same = [...call.tables.Reaction.find(column, on)].some(
        (row) => row.userId === actorId(call) && row.emoji === emoji,
      )
      if (same) throw inputError('Reaction already exists', 'You have already reacted with this emoji.')
    }
    return { emoji, userId: actorId(call) }
  },
  guard: (call, row) => needOwner(call, row.userId, 'person who reacted'),
}

export const kindOperations: Operations = Object.assign(
  {},
  ...[
    documents,
    posted('ProjectUpdate'),
    posted('InitiativeUpdate'),
    templates,
    customViews,
    invites,
    reactions,
    ...simple,
  ].map(crud),
)
