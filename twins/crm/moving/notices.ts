import type { Change } from '@diorama/twin-kit/kernel/diff'
import type { Notice, Step, Views } from '@diorama/twin-kit/kernel/twin'
import { type CrmTables, personTable, tableOf } from '../tables.ts'

type CrmViews = Views<CrmTables>

/** Objects whose owner is the person who is to do something about them. */
const assigned = ['Case', 'Task', 'Lead', 'Opportunity']

/** A record addresses the person who becomes its owner; a comment on a case addresses the owner of the case. */
export const notices = (step: Step, views: CrmViews): readonly Notice[] => {
  const from = step.actor?.subject ?? ''
  const author = step.actor?.id ?? ''
  return step.changes.flatMap((change) => {
    const found = assigned.includes(change.collection) ? ofOwner(change) : ofComment(change, views)
    if (!found || found.userId === author) return []
    const to = subjectOf(found.userId, views)
    const { kind, text, where } = found
    return to === '' ? [] : [{ to, from, kind, text, where }]
  })
}

interface Addressed extends Pick<Notice, 'kind' | 'text' | 'where'> {
  readonly userId: string
}

const ofOwner = ({ collection, before, after }: Change): Addressed | undefined => {
  if (!after || typeof after.OwnerId !== 'string' || after.OwnerId === before?.OwnerId) return undefined
  const texts = [after.Subject, after.Name, after.Description].filter((text) => typeof text === 'string')
  return {
    userId: after.OwnerId,
    kind: 'assignment',
    text: texts.join('\n'),
    where: collection === 'Case' ? { ParentId: String(after.Id) } : {},
  }
}

const ofComment = ({ collection, operation, after }: Change, views: CrmViews): Addressed | undefined => {
  if (collection !== 'CaseComment' || operation !== 'create' || !after) return undefined
  const parent = tableOf(views, 'Case').get(String(after.ParentId))
  if (typeof parent?.OwnerId !== 'string') return undefined
  const where = { ParentId: String(after.ParentId) }
  return { userId: parent.OwnerId, kind: 'comment', text: String(after.CommentBody ?? ''), where }
}

/** The handle of a user; the integration is one of them. */
const subjectOf = (userId: string, views: CrmViews): string => {
  for (const person of tableOf(views, personTable).all())
    if (person.userId === userId) return String(person.subject)
  return ''
}
