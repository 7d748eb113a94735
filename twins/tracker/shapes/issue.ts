import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { hiddenTeams } from '../rules/access.ts'
import { cutAtWord, editorDocument, priorityLabel, slug } from '../values/text.ts'
import { uuidFrom } from '../values/uuid.ts'
import { always, type Fields, text, unless } from './field.ts'
import { commentUrl, inboxUrl, issueUrl } from './links.ts'

export const contentId = (id: string): string => uuidFrom(sha256(`content of ${id}`))

/** The rich text of a record, as its own record. */
export const contentOf = (row: EntityRow, owner: string, content: unknown): EntityRow => ({
  id: typeof row.documentContentId === 'string' ? row.documentContentId : contentId(row.id),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  archivedAt: null,
  content: content ?? null,
  contentState: null,
  [`${owner}Id`]: row.id,
})

const reactionsOn =
  (column: string) =>
  (row: EntityRow, context: Context): EntityRow[] => [...context.tables.Reaction.find(column, row.id)]

/** Reactions counted by emoji, oldest first, in the layout that the application keeps on the record. */
const reactionData = (reactions: readonly EntityRow[]) => {
  const byEmoji = new Map<string, { id: string; userId: unknown; reactedAt: string }[]>()
  for (const { id, emoji, userId, createdAt } of reactions) {
    const held = byEmoji.get(text(emoji)) ?? []
    byEmoji.set(text(emoji), [...held, { id, userId, reactedAt: createdAt }])
  }
  return [...byEmoji].map(([emoji, held]) => ({ emoji, reactions: held }))
}

export const reactable = (column: string): Fields => {
  const reactions = reactionsOn(column)
  return {
    reactions: (row, _, context) => reactions(row, context),
    reactionData: (row, _, context) => reactionData(reactions(row, context)),
  }
}

export const branchName = (row: EntityRow): string =>
  cutAtWord(`${text(row.identifier).toLowerCase()}-${slug(text(row.title))}`, 62)

const sharedWith = (row: EntityRow, context: Context): EntityRow[] =>
  Array.isArray(row.sharedWithIds)
    ? row.sharedWithIds.flatMap((id: unknown) => find(context, 'User', id) ?? [])
    : []

const relationsOf = (
  row: EntityRow,
  context: Context,
  type: string,
  direction: 'issueId' | 'relatedIssueId',
) =>
  [...context.tables.IssueRelation.find(direction, row.id)].some(
    (relation) => relation.type === type && relation.archivedAt === null,
  )

/** The states that an issue has been in, oldest first, each until the next. */
const stateSpans = (row: EntityRow, { tables }: Context) => {
  const changes = [...tables.IssueHistory.find('issueId', row.id)].filter(({ toStateId }) => toStateId)
  const first = text(changes[0]?.fromStateId) || text(row.stateId)
  const entered = [
    { stateId: first, startedAt: row.createdAt },
    ...changes.map(({ toStateId, createdAt }) => ({ stateId: text(toStateId), startedAt: createdAt })),
  ]
  return entered.map((span, n) => ({
    ...span,
    id: uuidFrom(sha256(`span ${row.id} ${n}`)),
    endedAt: entered[n + 1]?.startedAt ?? null,
  }))
}

const since = (from: unknown, to: unknown): number | null =>
  typeof from === 'string' && typeof to === 'string' ? Date.parse(to) - Date.parse(from) : null

/** What filters ask about an issue and the schema does not show as a field. */
const asked: Fields = {
  searchableContent: (row, _, { tables }) =>
    [row.title, row.description, ...[...tables.Comment.find('issueId', row.id)].map(({ body }) => body)].join(
      '\n',
    ),
  hasBlockedByRelations: (row, _, context) => relationsOf(row, context, 'blocks', 'relatedIssueId'),
  hasBlockingRelations: (row, _, context) => relationsOf(row, context, 'blocks', 'issueId'),
  hasDuplicateRelations: (row, _, context) => relationsOf(row, context, 'duplicate', 'issueId'),
  hasRelatedRelations: (row, _, context) =>
    relationsOf(row, context, 'related', 'issueId') || relationsOf(row, context, 'related', 'relatedIssueId'),
  hasSharedUsers: (row, _, context) => sharedWith(row, context).length > 0,
  customerCount: (row, _, { tables }) =>
    new Set([...tables.CustomerNeed.find('issueId', row.id)].map(({ customerId }) => customerId)).size,
  customerImportantCount: (row, _, { tables }) =>
    [...tables.CustomerNeed.find('issueId', row.id)].filter(({ priority }) => priority === 1).length,
  ageTime: (row, _, { now }) =>
    row.completedAt === null && row.canceledAt === null ? now - Date.parse(row.createdAt) : null,
  cycleTime: (row) => since(row.startedAt, row.completedAt),
  leadTime: (row) => since(row.createdAt, row.completedAt),
}

/** Who sees an issue only because it is shared does not change where it belongs. */
const fieldsOfTheTeam = ['cycleId', 'projectId', 'projectMilestoneId', 'teamId']
const onlyShared = (row: EntityRow, context: Context): boolean =>
  (context.hidden ?? hiddenTeams(context)).has(text(row.teamId))

export const issueFields: Fields = {
  ...unless({ inheritsSharedAccess: false, previousIdentifiers: [], labelIds: [], customerTicketCount: 0 }),
  ...reactable('issueId'),
  ...asked,
  url: (row, _, context) => issueUrl(row, context),
  branchName,
  priorityLabel: (row) => priorityLabel(row.priority),
  boardOrder: (row) => row.sortOrder,
  documentContent: (row) => contentOf(row, 'issue', row.description),
  addedToTeamAt: (row) => row.addedToTeamAt ?? row.createdAt,
  favorite: (row, _, { tables, actor }) =>
    [...tables.Favorite.find('ownerId', actor?.id ?? '')].find(({ issueId }) => issueId === row.id),
  sharedAccess: (row, _, context) => {
    const users = sharedWith(row, context)
    return {
      disallowedIssueFields: onlyShared(row, context) ? fieldsOfTheTeam : [],
      isShared: users.length > 0,
      sharedWithCount: users.length,
      sharedWithUsers: users,
      viewerHasOnlySharedAccess: onlyShared(row, context),
    }
  },
  stateHistory: (row, _, context) => {
    const nodes = stateSpans(row, context)
    const pageInfo = {
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: nodes[0]?.id ?? null,
      endCursor: nodes.at(-1)?.id ?? null,
    }
    return { nodes, pageInfo }
  },
  /** Search results say how well they match; every match of ours counts alike. */
  metadata: always({}),
}

export const commentFields: Fields = {
  ...unless({ hideInLinear: false, isArtificialAgentSessionRoot: false }),
  ...reactable('commentId'),
  url: (row, _, context) => commentUrl(row, context),
  bodyData: (row) => editorDocument(text(row.body)),
  agentSession: (row, _, { tables }) => tables.AgentSession.first('commentId', row.id),
}

export const attachmentFields: Fields = {
  ...unless({ metadata: {}, groupBySource: false }),
  sourceType: (row) => row.sourceType ?? null,
}

/** History keeps ids; the records behind them are looked up when asked for. */
const listed =
  (column: string, type: string): Fields[string] =>
  (row, _, context) => {
    const held = row[column]
    return Array.isArray(held) ? held.flatMap((id: unknown) => find(context, type, id) ?? []) : null
  }
export const issueHistoryFields: Fields = {
  actors: (row, _, context) => {
    const actor = find(context, 'User', row.actorId)
    return actor ? [actor] : null
  },
  addedLabels: listed('addedLabelIds', 'IssueLabel'),
  removedLabels: listed('removedLabelIds', 'IssueLabel'),
  descriptionUpdatedBy: (row, _, context) => {
    const actor = row.updatedDescription === true ? find(context, 'User', row.actorId) : undefined
    return actor ? [actor] : null
  },
}

/** Notifications are about an issue; their words follow from what happened to it. */
const words: Readonly<Record<string, string>> = {
  issueAssignedToYou: 'assigned the issue to you',
  issueUnassignedFromYou: 'unassigned you from the issue',
  issueNewComment: 'commented on the issue',
  issueCommentMention: 'mentioned you in a comment',
  issueMention: 'mentioned you in the description',
  issueCommentReaction: 'reacted to your comment',
  issueEmojiReaction: 'reacted to your issue',
  issueStatusChangedAll: 'changed the status of the issue',
}
const categories: Readonly<Record<string, string>> = {
  issueAssignedToYou: 'assignments',
  issueUnassignedFromYou: 'assignments',
  issueNewComment: 'commentsAndReplies',
  issueCommentMention: 'mentions',
  issueMention: 'mentions',
  issueCommentReaction: 'reactions',
  issueEmojiReaction: 'reactions',
  issueStatusChangedAll: 'statusChanges',
}
export const notificationFields: Fields = {
  ...unless({ groupingPriority: 1, isLinearActor: false }),
  category: (row) => categories[text(row.type)] ?? 'subscriptions',
  actorAvatarColor: (row, _, context) => userColor(find(context, 'User', row.actorId)?.id ?? row.id),
  actorInactive: (row, _, context) => find(context, 'User', row.actorId)?.active === false,
  actorInitials: (row, _, context) => text(find(context, 'User', row.actorId)?.initials) || null,
  groupingKey: (row) => `${text(row.issueId)}`,
  title: (row, _, context) => {
    const issue = find(context, 'Issue', row.issueId)
    return `${text(issue?.identifier)} ${text(issue?.title)}`
  },
  subtitle: (row, _, context) =>
    `${text(find(context, 'User', row.actorId)?.displayName)} ${words[text(row.type)] ?? 'updated the issue'}`,
  inboxUrl: (_row, _, context) => inboxUrl(context),
  url: (row, _, context) => {
    const comment = find(context, 'Comment', row.commentId)
    const issue = find(context, 'Issue', row.issueId)
    return comment ? commentUrl(comment, context) : issue ? issueUrl(issue, context) : inboxUrl(context)
  },
  team: (row, _, context) => find(context, 'Team', find(context, 'Issue', row.issueId)?.teamId),
  issueStatusType: (row, _, context) =>
    find(context, 'WorkflowState', find(context, 'Issue', row.issueId)?.stateId)?.type ?? null,
}

const colors = ['#5e6ad2', '#26b5ce', '#4cb782', '#f2994a', '#eb5757', '#bb87fc', '#95a2b3', '#f7c8c1']
/** The same person has the same colour everywhere. */
export const userColor = (id: string): string =>
  colors[Number.parseInt(sha256(id).slice(0, 2), 16) % colors.length] ?? '#5e6ad2'
