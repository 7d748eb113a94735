import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { CommentRow, EntityRow } from '../../rows.ts'
import { isAdmin, needOwner } from '../../rules/access.ts'
import { checkActsAsUser, checkPast } from '../../rules/lengths.ts'
import { contentId } from '../../shapes/issue.ts'
import { inputError, notFound } from '../../shapes/refusals.ts'
import { editorText } from '../../values/text.ts'
import { iso } from '../../values/times.ts'
import { commentReachesAgents } from '../agents/activities.ts'
import { mutation, type Operations } from '../crud.ts'
import {
  addRecord,
  botActorOf,
  changeRecord,
  type Input,
  needText,
  payload,
  readInput,
  recordInput,
} from '../records.ts'
import { audience, follow, mentioned, notify } from './changes.ts'

const blank = {
  issueId: null,
  projectId: null,
  projectUpdateId: null,
  initiativeId: null,
  initiativeUpdateId: null,
  documentContentId: null,
  parentId: null,
  resolvedAt: null,
  resolvingUserId: null,
  resolvingCommentId: null,
  editedAt: null,
}
const places = [
  'issueId',
  'projectId',
  'projectUpdateId',
  'initiativeId',
  'initiativeUpdateId',
  'documentContentId',
] as const

const needComment = (call: TrackerCall, id: unknown): CommentRow => {
  const row = call.tables.Comment.get(need(call, 'Comment', id).id)
  if (!row) throw notFound('Comment')
  return row
}

/** Threads are resolved at their first comment. */
const needRoot = (call: TrackerCall, id: unknown): CommentRow => {
  const comment = needComment(call, id)
  if (comment.parentId !== null)
    throw inputError('Not a thread', 'Only top level comments can be resolved or unresolved.')
  return comment
}

const bodyOf = (input: Input): string =>
  typeof input.body === 'string' || !input.bodyData ? needText(input, 'body') : editorText(input.bodyData)

export const createComment = (call: TrackerCall, input: Input): EntityRow => {
  const body = bodyOf(input)
  const columns = readInput(call, 'Comment', 'CommentCreateInput', input)
  checkComment(call, input, columns)
  const parent = find(call, 'Comment', columns.parentId)
  const place = placeOf(call, columns, parent)
  const row = addRecord(
    call,
    'Comment',
    { ...blank, ...columns, ...place, ...botActorOf(call, input), body, userId: actorId(call) },
    input,
  )
  notifyFollowers(call, row, parent)
  commentReachesAgents(call, needComment(call, row.id), mentioned(call, body))
  const issue = call.tables.Issue.get(String(row.issueId))
  if (issue && input.doNotSubscribeToIssue !== true) follow(call, issue, actorId(call))
  return row
}

/** What a new comment must meet besides having a body and a place. */
const checkComment = (call: TrackerCall, input: Input, columns: Row): void => {
  checkActsAsUser(call, input)
  checkPast(input, 'createdAt', { value: columns.createdAt, now: call.now })
  const given = places.filter((place) => typeof columns[place] === 'string')
  if (given.length > 1)
    throw inputError('Comment has several parents', `Only one of ${given.join(', ')} can be set.`)
  if (input.createOnSyncedSlackThread === true)
    throw inputError('No synced thread', 'The issue has no synced Slack comment thread.')
  checkQuote(input, columns)
}

/** Only inline comments, which are on the content of a document, quote from it. */
const checkQuote = ({ quotedText }: Input, { documentContentId, parentId }: Row): void => {
  if (typeof quotedText === 'string' && typeof documentContentId !== 'string' && !parentId)
    throw inputError('Not an inline comment', 'quotedText can only be set on inline comments.')
}

/** A comment is on one record. A reply is where its parent is, and threads are one level deep. */
const placeOf = (call: TrackerCall, columns: Row, parent: EntityRow | undefined): Row => {
  if (parent) {
    if (typeof parent.parentId === 'string')
      throw inputError('incorrect parent', 'Parent comment must be a top level comment.')
    if (places.some((place) => columns[place] && columns[place] !== parent[place]))
      throw inputError('incorrect parent', 'Parent comment must be on the same record as the comment.')
    return {
      ...Object.fromEntries(places.map((place) => [place, parent[place] ?? null])),
      parentId: parent.id,
    }
  }
  if (typeof columns.documentContentId === 'string') {
    const known =
      call.tables.Document.first('documentContentId', columns.documentContentId) ??
      [...call.tables.Issue.all()].find(({ id }) => contentId(id) === columns.documentContentId)
    if (!known) throw notFound('DocumentContent')
  }
  if (!places.some((place) => typeof columns[place] === 'string'))
    throw inputError(
      'Comment has no parent',
      'One of issueId, projectId, projectUpdateId, initiativeId, initiativeUpdateId, documentContentId or parentId must be set.',
    )
  return {}
}

/** Notifies those who follow the issue, and with another type those who are mentioned. */
const notifyFollowers = (call: TrackerCall, comment: EntityRow, parent: EntityRow | undefined): void => {
  const issue = call.tables.Issue.get(String(comment.issueId))
  if (!issue) return
  const named = new Set(mentioned(call, String(comment.body)).map(({ id }) => id))
  const extra = { commentId: comment.id, parentCommentId: parent?.id ?? null }
  for (const user of named) notify(call, issue, user, 'issueCommentMention', extra)
  for (const user of audience(call, issue))
    if (!named.has(user)) notify(call, issue, user, 'issueNewComment', extra)
}

/** A comment takes its replies and their reactions with it. */
const deleteComment = (call: TrackerCall, comment: CommentRow): void => {
  for (const child of [...call.tables.Comment.find('parentId', comment.id)]) deleteComment(call, child)
  for (const { id } of [...call.tables.Reaction.find('commentId', comment.id)])
    call.tables.Reaction.delete(id)
  call.tables.Comment.delete(comment.id)
}

const resolved = (call: TrackerCall, comment: CommentRow, columns: Row) =>
  payload(call, 'Comment', changeRecord(call, 'Comment', comment, columns))

export const commentOperations: Operations = {
  ...mutation('commentCreate', (call, { input }) =>
    payload(call, 'Comment', createComment(call, recordInput(input))),
  ),
  ...mutation('commentUpdate', (call, { id, input, skipEditedAt }) => {
    const comment = needComment(call, id)
    const given = recordInput(input)
    if (given.body !== undefined || given.bodyData || given.quotedText !== undefined)
      needOwner(call, comment.userId, 'author of the comment')
    checkQuote(given, comment)
    const columns: Record<string, unknown> = { ...readInput(call, 'Comment', 'CommentUpdateInput', given) }
    if (given.body !== undefined || given.bodyData) {
      columns.body = bodyOf(given)
      if (skipEditedAt !== true && columns.body !== comment.body) columns.editedAt = iso(call.now)
    }
    if (typeof given.resolvingUserId === 'string') columns.resolvedAt = iso(call.now)
    return resolved(call, comment, columns)
  }),
  ...mutation('commentDelete', (call, { id }) => {
    const comment = needComment(call, id)
    if (!isAdmin(call)) needOwner(call, comment.userId, 'author of the comment')
    deleteComment(call, comment)
    return payload(call, 'Comment', undefined, { entityId: comment.id })
  }),
  ...mutation('commentResolve', (call, { id, resolvingCommentId }) => {
    const comment = needRoot(call, id)
    const answer = resolvingCommentId ? need(call, 'Comment', resolvingCommentId) : undefined
    if (answer && answer.parentId !== comment.id)
      throw inputError('Invalid resolving comment', 'The resolving comment must be a reply in the thread.')
    const by = answer?.id ?? null
    return resolved(call, comment, {
      resolvedAt: comment.resolvedAt ?? iso(call.now),
      resolvingUserId: actorId(call),
      resolvingCommentId: by,
    })
  }),
  ...mutation('commentUnresolve', (call, { id }) =>
    resolved(call, needRoot(call, id), {
      resolvedAt: null,
      resolvingUserId: null,
      resolvingCommentId: null,
    }),
  ),
}
