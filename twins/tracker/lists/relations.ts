import { type Context, find, viewOf } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { createdPlace, type EntityType, isEntityType, tables } from '../tables.ts'

/** How a list of records hangs together with its parent. */
export type Many =
  /** Rows whose column holds the parent's id. */
  | { readonly type: EntityType; readonly column: string }
  /** Rows whose ids are in the parent's column. */
  | {
      readonly type: EntityType
      readonly ids: string
      /** Further ids that are kept elsewhere. */
      readonly also?: (row: EntityRow, context: Pick<Context, 'tables'>) => string[]
    }
  /** Rows worked out. */
  | { readonly type: EntityType; readonly rows: (row: EntityRow, context: Context) => EntityRow[] }

const by = (type: EntityType, column: string): Many => ({ type, column })
const ids = (type: EntityType, column: string): Many => ({ type, ids: column })
const through = (link: EntityType, near: string, far: string, type: EntityType): Many => ({
  type,
  rows: (row, context) =>
    [...viewOf(context.tables, link).find(near, row.id)].flatMap((joined) => {
      const found = joined.archivedAt === null ? find(context, type, joined[far]) : undefined
      return found ? [found] : []
    }),
})
const whole = (type: EntityType): Many => ({
  type,
  rows: (_, context) => scan(type, context),
})
const where = (type: EntityType, keep: (row: EntityRow, parent: EntityRow) => boolean): Many => ({
  type,
  rows: (parent, context) => scan(type, context).filter((row) => keep(row, parent)),
})
const scan = (type: EntityType, context: Context): EntityRow[] => {
  const view = viewOf(context.tables, type)
  context.budget?.spendRows(view.size())
  return [...view.all()]
}

/** Those who follow an issue because they commented on it. */
export const followersOf = ({ id }: { id: string }, { tables }: Pick<Context, 'tables'>): string[] =>
  [...tables.follower.find('issueId', id)].map(({ userId }) => userId)

const named: Readonly<Record<string, Readonly<Record<string, Many>>>> = {
  Organization: {
    users: whole('User'),
    teams: whole('Team'),
    labels: where('IssueLabel', (row) => row.teamId === null),
    projectLabels: whole('ProjectLabel'),
    templates: where('Template', (row) => row.teamId === null),
  },
  User: {
    assignedIssues: by('Issue', 'assigneeId'),
    createdIssues: by('Issue', 'creatorId'),
    delegatedIssues: by('Issue', 'delegateId'),
    teamMemberships: by('TeamMembership', 'userId'),
    teams: through('TeamMembership', 'userId', 'teamId', 'Team'),
  },
  Team: {
    members: through('TeamMembership', 'teamId', 'userId', 'User'),
    labels: where('IssueLabel', (row, team) => row.teamId === null || row.teamId === team.id),
    projects: by('Project', 'teamIds'),
  },
  WorkflowState: { issues: by('Issue', 'stateId') },
  IssueLabel: { issues: by('Issue', 'labelIds'), children: by('IssueLabel', 'parentId') },
  Issue: {
    labels: ids('IssueLabel', 'labelIds'),
    subscribers: { ...ids('User', 'subscriberIds'), also: followersOf },
    sharedWith: ids('User', 'sharedWithIds'),
    children: by('Issue', 'parentId'),
    relations: by('IssueRelation', 'issueId'),
    inverseRelations: by('IssueRelation', 'relatedIssueId'),
    needs: by('CustomerNeed', 'issueId'),
    reactions: by('Reaction', 'issueId'),
  },
  Comment: {
    children: by('Comment', 'parentId'),
    createdIssues: by('Issue', 'sourceCommentId'),
    reactions: by('Reaction', 'commentId'),
  },
  Project: {
    teams: ids('Team', 'teamIds'),
    accessibleTeams: ids('Team', 'teamIds'),
    members: ids('User', 'memberIds'),
    labels: ids('ProjectLabel', 'labelIds'),
    relations: by('ProjectRelation', 'projectId'),
    inverseRelations: by('ProjectRelation', 'relatedProjectId'),
    initiatives: through('InitiativeToProject', 'projectId', 'initiativeId', 'Initiative'),
    externalLinks: by('EntityExternalLink', 'projectId'),
    needs: by('CustomerNeed', 'projectId'),
    roadmaps: through('RoadmapToProject', 'projectId', 'roadmapId', 'Roadmap'),
  },
  ProjectLabel: { projects: by('Project', 'labelIds'), children: by('ProjectLabel', 'parentId') },
  ProjectUpdate: { reactions: by('Reaction', 'projectUpdateId') },
  InitiativeUpdate: { reactions: by('Reaction', 'initiativeUpdateId') },
  Cycle: {
    uncompletedIssuesUponClose: ids('Issue', 'uncompletedIssueIds'),
  },
  Document: {
    subscribers: ids('User', 'subscriberIds'),
    comments: {
      type: 'Comment',
      rows: (row, { tables }) =>
        typeof row.documentContentId === 'string'
          ? [...tables.Comment.find('documentContentId', row.documentContentId)]
          : [],
    },
  },
  Initiative: {
    labels: ids('InitiativeLabel', 'labelIds'),
    projects: through('InitiativeToProject', 'initiativeId', 'projectId', 'Project'),
    links: by('EntityExternalLink', 'initiativeId'),
    subInitiatives: through('InitiativeRelation', 'initiativeId', 'relatedInitiativeId', 'Initiative'),
    parentInitiatives: through('InitiativeRelation', 'relatedInitiativeId', 'initiativeId', 'Initiative'),
    teams: ids('Team', 'teamIds'),
    ancestors: through('InitiativeRelation', 'relatedInitiativeId', 'initiativeId', 'Initiative'),
  },
  InitiativeLabel: { initiatives: by('Initiative', 'labelIds'), children: by('InitiativeLabel', 'parentId') },
  Roadmap: { projects: through('RoadmapToProject', 'roadmapId', 'projectId', 'Project') },
  Favorite: { children: by('Favorite', 'parentId') },
  Customer: { needs: by('CustomerNeed', 'customerId') },
}

/** The list that a field holds: named above, or the rows that refer to the parent by its type's own name. */
export const manyOf = (parent: string, field: string, target: string | undefined): Many | undefined => {
  const known = named[parent]?.[field]
  if (known) return known
  if (target === undefined || !isEntityType(target)) return undefined
  const column = `${lowerFirst(parent)}Id`
  return tables[target].indexes && column in tables[target].indexes ? by(target, column) : undefined
}

/** Every row of a list, newest first. */
export const rowsOf = (many: Many, row: EntityRow, context: Context): EntityRow[] => {
  const rows = relatedRows(many, row, context)
  context.budget?.spendRows(rows.length + 1)
  return rows
}

const relatedRows = (many: Many, row: EntityRow, context: Context): EntityRow[] => {
  const view = viewOf(context.tables, many.type)
  if ('column' in many) return [...view.find(many.column, row.id, { reverse: true })]
  if ('rows' in many) return newestFirst(many.rows(row, context))
  const held = row[many.ids]
  const all = new Set([...(Array.isArray(held) ? held : []), ...(many.also?.(row, context) ?? [])])
  const found = [...all].flatMap((id: unknown) => find(context, many.type, id) ?? [])
  return newestFirst(found)
}

export const newestFirst = (rows: EntityRow[]): EntityRow[] =>
  rows.sort((a, b) => (createdPlace(a) < createdPlace(b) ? 1 : -1))

/** The record that a field refers to. */
export const oneOf = (
  field: string,
  target: string,
  row: EntityRow,
  context: Context,
): EntityRow | undefined => find(context, target, row[`${field}Id`])

export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
