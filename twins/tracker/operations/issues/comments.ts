import type { Row } from '../../../kernel/table.ts'
import { actorId, find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { inputError, notFound } from '../../refusals.ts'
import type { CommentRow, EntityRow } from '../../rows.ts'
import { contentId } from '../../shapes/issue.ts'
import { editorText } from '../../values/text.ts'
import { iso } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { addRecord, changeRecord, type Input, needText, payload, readInput, recordInput } from '../records.ts'
import { audience, mentioned, notify } from './changes.ts'

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

const bodyOf = (input: Input): string =>
  typeof input.body === 'string' || !input.bodyData ? needText(input, 'body') : editorText(input.bodyData)

export const createComment = (call: TrackerCall, input: Input): EntityRow => {
  const body = bodyOf(input)
  const columns = readInput(call, 'Comment', 'CommentCreateInput', input)
  const parent = find(call, 'Comment', columns.parentId)
  const place = placeOf(call, columns, parent)
  const row = addRecord(
    call,
    'Comment',
    { ...blank, ...columns, ...place, body, userId: actorId(call) },
    input,
  )
  tell(call, row, parent)
  return row
}

/** A comment stands on one record; a reply stands where its parent does, below the first comment of the thread. */
const placeOf = (call: TrackerCall, columns: Row, parent: EntityRow | undefined): Row => {
  if (parent) {
    const root = typeof parent.parentId === 'string' ? parent.parentId : parent.id
    return { ...Object.fromEntries(places.map((place) => [place, parent[place] ?? null])), parentId: root }
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

/** Those who follow the issue are told, and those who are mentioned in other words. */
const tell = (call: TrackerCall, comment: EntityRow, parent: EntityRow | undefined): void => {
  const issue = call.tables.Issue.get(String(comment.issueId))
  if (!issue) return
  const named = new Set(mentioned(call, String(comment.body)).map(({ id }) => id))
  const extra = { commentId: comment.id, parentCommentId: parent?.id ?? null }
  for (const user of named) notify(call, issue, user, 'issueCommentMention', extra)
  for (const user of audience(issue))
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
    deleteComment(call, comment)
    return payload(call, 'Comment', undefined, { entityId: comment.id })
  }),
  ...mutation('commentResolve', (call, { id, resolvingCommentId }) => {
    const comment = needComment(call, id)
    const by = resolvingCommentId ? need(call, 'Comment', resolvingCommentId).id : null
    return resolved(call, comment, {
      resolvedAt: comment.resolvedAt ?? iso(call.now),
      resolvingUserId: actorId(call),
      resolvingCommentId: by,
    })
  }),
  ...mutation('commentUnresolve', (call, { id }) =>
    resolved(call, needComment(call, id), {
      resolvedAt: null,
      resolvingUserId: null,
      resolvingCommentId: null,
    }),
  ),
}
