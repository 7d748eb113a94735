import type { Change } from '@diorama/twin-kit/kernel/diff'
import type { Notice, Step, Views } from '@diorama/twin-kit/kernel/twin'
import type { TrackerTables } from '../tables.ts'

type TrackerViews = Views<TrackerTables>

/** An issue addresses the person it is assigned to; a comment those it mentions, its thread, and the issue's people. */
export const notices = (step: Step, views: TrackerViews): readonly Notice[] => {
  const from = step.actor?.subject ?? ''
  const author = step.actor?.id ?? ''
  return step.changes.flatMap((change) => {
    if (change.collection === 'Issue') return ofIssue(change, { views, from, author })
    return change.collection === 'Comment' && change.operation === 'create'
      ? ofComment(change, { views, from, author })
      : []
  })
}

interface Writer {
  readonly views: TrackerViews
  readonly from: string
  readonly author: string
}

const ofIssue = ({ before, after }: Change, { views, from, author }: Writer): Notice[] => {
  const assignee = after?.assigneeId
  if (!after || typeof assignee !== 'string' || assignee === before?.assigneeId || assignee === author)
    return []
  const to = handleOf(assignee, views)
  const text = [after.title, after.description].filter((part) => typeof part === 'string').join('\n')
  return to === '' ? [] : [{ to, from, kind: 'assignment', text, where: { issueId: String(after.id) } }]
}

const ofComment = ({ after }: Change, { views, from, author }: Writer): Notice[] => {
  if (!after || typeof after.issueId !== 'string') return []
  const text = String(after.body ?? '')
  const issue = views.Issue.get(after.issueId)
  const parent = typeof after.parentId === 'string' ? views.Comment.get(after.parentId) : undefined
  const kinds = new Map<string, Notice['kind']>()
  for (const id of [issue?.assigneeId, issue?.creatorId, parent?.userId])
    if (typeof id === 'string') kinds.set(id, 'comment')
  for (const id of mentionedIn(text, views)) kinds.set(id, 'mention')
  kinds.delete(author)
  const where = { issueId: after.issueId, parentId: String(parent?.id ?? after.id) }
  return [...kinds].flatMap(([id, kind]) => {
    const to = handleOf(id, views)
    return to === '' ? [] : [{ to, from, kind, text, where }]
  })
}

/** By a link to a profile, as the service's editor writes it. */
const mentionedIn = (text: string, views: TrackerViews): string[] => {
  const names = new Set([...text.matchAll(/\/profiles\/([\w.-]*\w)/g)].map(([, name]) => name))
  if (names.size === 0) return []
  return [...views.User.all()].filter(({ displayName }) => names.has(displayName)).map(({ id }) => id)
}

const handleOf = (userId: string, views: TrackerViews): string => views.User.get(userId)?.handle ?? ''
