import { actorId, type TrackerCall } from '../../context.ts'
import { inputError, invalidArgument } from '../../refusals.ts'
import { contentId } from '../../shapes/issue.ts'
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

/** Records that stand in a list which people order by hand begin at its end. */
const last = (
  call: TrackerCall,
  type: 'Document' | 'Favorite' | 'Initiative' | 'Template' | 'Roadmap',
): number => call.tables[type].size() * 100

/** Of the columns that say what a record hangs on, at least one must be set. */
export const needOne = (input: Input, columns: readonly string[], what: string): void => {
  if (columns.some((column) => typeof input[column] === 'string')) return
  throw inputError(`${what} has no parent`, `One of ${columns.join(', ')} must be set.`)
}

export const withoutNull = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

const documents: Kind = {
  type: 'Document',
  has: ['Create', 'Update', 'Delete', 'Unarchive'],
  trash: true,
  start: (call, input) => ({
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
    ownerId: input.ownerId ?? actorId(call),
  }),
  revise: (call, _row, input) => ({
    updatedById: actorId(call),
    ...(typeof input.trashed === 'boolean'
      ? { trashed: input.trashed || null, archivedAt: input.trashed ? iso(call.now) : null }
      : {}),
  }),
}

const favorites: Kind = {
  type: 'Favorite',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input) => ({
    ownerId: actorId(call),
    type: favoriteType(input),
    sortOrder: typeof input.sortOrder === 'number' ? input.sortOrder : last(call, 'Favorite'),
  }),
}
/** A favourite is of the kind of the one thing it points to. */
const favoriteType = (input: Input): string => {
  const column = Object.keys(input).find(
    (name) => name.endsWith('Id') && name !== 'parentId' && typeof input[name] === 'string',
  )
  if (column) return column === 'predefinedViewTeamId' ? 'predefinedView' : column.slice(0, -'Id'.length)
  if (typeof input.predefinedViewType === 'string') return 'predefinedView'
  if (typeof input.folderName === 'string') return 'folder'
  throw inputError('Favorite has no target', 'Say what the favorite points to, or give folderName.')
}

const initiatives: Kind = {
  type: 'Initiative',
  has: ['Create', 'Update', 'Archive', 'Unarchive', 'Delete'],
  trash: true,
  start: (call, input) => ({
    status: 'Planned',
    description: null,
    content: null,
    labelIds: [],
    targetDate: null,
    trashed: null,
    sortOrder: last(call, 'Initiative'),
    ...withoutNull({
      status: input.status,
      description: input.description,
      content: input.content,
      sortOrder: input.sortOrder,
      labelIds: input.labelIds,
      targetDate: input.targetDate,
    }),
    name: needText(input, 'name'),
    slugId: newSlugId(call),
    creatorId: actorId(call),
    ownerId: input.ownerId ?? actorId(call),
  }),
  revise: (call, row, input) => {
    const now = iso(call.now)
    if (input.status === 'Active') return { startedAt: row.startedAt ?? now, completedAt: null }
    return input.status === 'Completed' ? { completedAt: now } : {}
  },
}

const webhooks: Kind = {
  type: 'Webhook',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => {
    if (!URL.canParse(String(input.url)))
      throw invalidArgument({
        target: { ...input },
        property: 'url',
        value: input.url,
        constraints: { isUrl: 'url must be a URL address' },
      })
    if (!columns.teamId && input.allPublicTeams !== true)
      throw inputError('Webhook has no team', 'Either teamId or allPublicTeams must be set.')
    return {
      teamId: columns.teamId ?? null,
      label: input.label ?? null,
      enabled: input.enabled ?? true,
      allPublicTeams: input.allPublicTeams ?? false,
      resourceTypes: plain(input.resourceTypes) ?? [],
      secret: input.secret ?? `lin_wh_${call.draw('webhook secret').slice(0, 40)}`,
      creatorId: actorId(call),
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
  revise: (call, _row, input) => ({
    ...body(input),
    ...(input.body === undefined ? {} : { editedAt: iso(call.now) }),
  }),
})

const templates: Kind = {
  type: 'Template',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => ({
    teamId: columns.teamId ?? null,
    description: input.description ?? null,
    templateData: plain(input.templateData) ?? {},
    sortOrder: input.sortOrder ?? last(call, 'Template'),
    creatorId: actorId(call),
    lastUpdatedById: actorId(call),
  }),
  revise: (call) => ({ lastUpdatedById: actorId(call) }),
}

const customViews: Kind = {
  type: 'CustomView',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => ({
    teamId: columns.teamId ?? null,
    description: input.description ?? null,
    filterData: plain(input.filterData) ?? {},
    projectFilterData: plain(input.projectFilterData) ?? null,
    initiativeFilterData: plain(input.initiativeFilterData) ?? null,
    shared: input.shared ?? false,
    modelName: input.projectFilterData ? 'Project' : input.initiativeFilterData ? 'Initiative' : 'Issue',
    slugId: newSlugId(call),
    creatorId: actorId(call),
    ownerId: columns.ownerId ?? actorId(call),
    updatedById: actorId(call),
  }),
  revise: (call) => ({ updatedById: actorId(call) }),
}

const invites: Kind = {
  type: 'OrganizationInvite',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input) => {
    const email = needText(input, 'email')
    if (call.tables.User.first('email', email))
      throw inputError('User already exists', `${email} is already a member of the workspace.`)
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
    type: 'InitiativeToProject',
    has: ['Create', 'Update', 'Delete'],
    start: (_call, input) => ({ sortOrder: String(input.sortOrder ?? 0) }),
  },
  {
    type: 'InitiativeRelation',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input) => ({ sortOrder: input.sortOrder ?? 0, userId: actorId(call) }),
  },
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
      return { sortOrder: input.sortOrder ?? 0, creatorId: actorId(call) }
    },
  },
  {
    type: 'Emoji',
    has: ['Create', 'Delete'],
    start: (call) => ({ source: 'user', creatorId: actorId(call) }),
  },
  {
    type: 'ProjectMilestone',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input, columns) => ({
      description: input.description ?? null,
      targetDate: columns.targetDate ?? null,
      name: needText(input, 'name'),
      sortOrder:
        input.sortOrder ?? call.tables.ProjectMilestone.count('projectId', String(columns.projectId)),
    }),
    gone: (call, row) => {
      for (const issue of [...call.tables.Issue.find('projectMilestoneId', row.id)])
        call.tables.Issue.update(issue.id, { projectMilestoneId: null })
    },
  },
  {
    type: 'ProjectRelation',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input) => ({
      type: input.type ?? 'dependency',
      anchorType: input.anchorType ?? 'end',
      relatedAnchorType: input.relatedAnchorType ?? 'start',
      userId: actorId(call),
    }),
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
    start: (_call, input) => ({ manualSelection: plain(input.manualSelection) ?? null }),
    revise: (_call, _row, input) =>
      input.manualSelection ? { manualSelection: plain(input.manualSelection) } : {},
  },
]

/** Reactions stand on one thing; the same person reacts with the same emoji once. */
const reactions: Kind = {
  type: 'Reaction',
  has: ['Create', 'Delete'],
  start: (call, input, columns) => {
    needOne(input, ['issueId', 'commentId', 'projectUpdateId', 'initiativeUpdateId'], 'Reaction')
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
}

export const kindOperations: Operations = Object.assign(
  {},
  ...[
    documents,
    favorites,
    initiatives,
    webhooks,
    posted('ProjectUpdate'),
    posted('InitiativeUpdate'),
    templates,
    customViews,
    invites,
    reactions,
    ...simple,
  ].map(crud),
)
