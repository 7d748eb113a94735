import type { TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { invalidArgument } from '../../shapes/refusals.ts'
import { instantOf, iso } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { addRecord, changeRecord, type Input, payload, recordInput } from '../records.ts'
import { applyIssueChange, needIssue } from './issues.ts'

const checkOtherIssue = (input: Input, issueId: unknown, relatedIssueId: unknown): void => {
  if (issueId !== relatedIssueId) return
  throw invalidArgument({
    target: { ...input },
    property: 'relatedIssueId',
    value: input.relatedIssueId,
    constraints: { notEqual: 'relatedIssueId cannot have the same value as issueId' },
  })
}

/** A duplicate is closed; relations hold once in each direction. */
export const relationOperations: Operations = {
  ...mutation('issueRelationCreate', (call, { input, overrideCreatedAt }) => {
    const given = recordInput(input)
    const issue = needIssue(call, given.issueId)
    const related = needIssue(call, given.relatedIssueId)
    checkOtherIssue(given, issue.id, related.id)
    const there = [...call.tables.IssueRelation.find('issueId', issue.id)].find(
      (row) => row.relatedIssueId === related.id && row.archivedAt === null,
    )
    const at =
      typeof overrideCreatedAt === 'string' ? { createdAt: iso(instantOf(overrideCreatedAt, call.now)) } : {}
    const columns = { type: given.type, issueId: issue.id, relatedIssueId: related.id, ...at }
    const row = there
      ? changeRecord(call, 'IssueRelation', there, columns)
      : addRecord(call, 'IssueRelation', columns, given)
    if (given.type === 'duplicate') closeDuplicate(call, issue.id)
    return payload(call, 'IssueRelation', row)
  }),
  ...mutation('issueRelationUpdate', (call, { id, input }) => {
    const row = need(call, 'IssueRelation', id)
    const given = recordInput(input)
    const columns: Record<string, unknown> = typeof given.type === 'string' ? { type: given.type } : {}
    for (const side of ['issueId', 'relatedIssueId'])
      if (typeof given[side] === 'string') columns[side] = needIssue(call, given[side]).id
    checkOtherIssue(given, columns.issueId ?? row.issueId, columns.relatedIssueId ?? row.relatedIssueId)
    return payload(call, 'IssueRelation', changeRecord(call, 'IssueRelation', row, columns))
  }),
  ...mutation('issueRelationDelete', (call, { id }) => {
    const row = need(call, 'IssueRelation', id)
    call.tables.IssueRelation.delete(row.id)
    return payload(call, 'IssueRelation', undefined, { entityId: row.id })
  }),
}
const closeDuplicate = (call: TrackerCall, issueId: string): void => {
  const issue = needIssue(call, issueId)
  const states = [...call.tables.WorkflowState.find('teamId', issue.teamId)].filter((row) => !row.archivedAt)
  const state =
    states.find(({ type }) => type === 'duplicate') ?? states.find(({ type }) => type === 'canceled')
  if (!state || issue.canceledAt !== null) return
  applyIssueChange(call, issue, { stateId: state.id, canceledAt: iso(call.now), completedAt: null })
}
