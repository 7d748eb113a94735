import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { readId } from '../ids.ts'
import { badReference, noRights, refuse, requiredMissing } from '../records/refusals.ts'
import { changeRecord, insertRecord } from '../records/save.ts'
import { str, type Writing, writingOf } from '../records/writing.ts'
import type { SchemaIn } from '../schema/schema.ts'
import type { CrmTables } from '../tables.ts'
import { type ApprovalProcess, mayEnter, processesIn } from './definition.ts'
import { isAdministrator } from './lock.ts'

export interface ApprovalRequest {
  readonly actionType: string
  /** The record to submit, or the work item to decide. */
  readonly contextId: string
  readonly contextActorId?: string
  readonly comments?: string
  readonly nextApproverIds?: readonly string[]
  readonly processDefinitionNameOrId?: string
  readonly skipEntryCriteria?: boolean
}

export interface ApprovalResult {
  readonly actorIds: readonly string[]
  readonly entityId: string
  readonly errors: null
  readonly instanceId: string
  readonly instanceStatus: string
  readonly newWorkitemIds: readonly string[]
  readonly success: true
}

export const approvalOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  processApproval: operation<CrmTables, ApprovalRequest, ApprovalResult>({
    effect: 'write',
    run: (call, request) => {
      const writing = writingOf(schemaIn(call.tables), call)
      if (request.actionType === 'Submit') return submit(writing, request)
      if (request.actionType in decisions) return decide(writing, request)
      throw refuse('INVALID_OPERATION', `Invalid action type: ${request.actionType}`, ['actionType'])
    },
  }),
})

const submit = (writing: Writing, request: ApprovalRequest): ApprovalResult => {
  const found = writing.own.lookup(readId(request.contextId) ?? '')
  if (!found) throw badReference()
  const { object, row } = found
  const id = String(row.Id)
  const instances = writing.table('ProcessInstance')
  if ([...instances.find('TargetObjectId', id)].some(({ Status }) => Status === 'Pending'))
    throw refuse('ALREADY_IN_PROCESS', 'Cannot submit object already in process.', [])
  const named = request.processDefinitionNameOrId
  const process = processesIn(writing.call.tables).find(
    (one) =>
      one.object === object.name &&
      (named === undefined || [one.name, one.key, one.key.slice(0, 15)].includes(named)) &&
      ((named !== undefined && request.skipEntryCriteria === true) ||
        mayEnter(writing.org, object, row, one)),
  )
  if (!process) throw refuse('NO_APPLICABLE_PROCESS', 'No applicable approval process found.', [])
  const submitter = readId(request.contextActorId ?? '') ?? writing.userId
  if (!writing.table('User').has(submitter)) throw badReference()
  const instanceId = insertRecord(writing, writing.org.object('ProcessInstance'), {
    ProcessDefinitionId: process.key,
    TargetObjectId: id,
    Status: 'Pending',
    SubmittedById: submitter,
    LastActorId: submitter,
  })
  addStep(writing, { instanceId, status: 'Started', actor: submitter, comments: request.comments })
  changeTarget(writing, id, process.onSubmission)
  const actor = approverOf(writing, { process, at: 0, submitter, chosen: request.nextApproverIds })
  return assigned(writing, { instanceId, target: id, actor })
}

const decisions: Readonly<Record<string, string>> = {
  Approve: 'Approved',
  Reject: 'Rejected',
  Removed: 'Removed',
}

const decide = (writing: Writing, request: ApprovalRequest): ApprovalResult => {
  const item = writing.table('ProcessInstanceWorkitem').get(readId(request.contextId) ?? '')
  const instance = item && writing.table('ProcessInstance').get(String(item.ProcessInstanceId))
  const process = processesIn(writing.call.tables).find(({ key }) => key === instance?.ProcessDefinitionId)
  if (!item || !instance || !process) throw badReference()
  const mayDecide =
    request.actionType === 'Removed'
      ? instance.SubmittedById === writing.userId
      : isApprover(writing, str(item, 'ActorId') ?? '')
  if (!mayDecide && !isAdministrator(writing)) throw noRights()
  const status = decisions[request.actionType] ?? ''
  const done = [
    ...writing.table('ProcessInstanceStep').find('ProcessInstanceId', String(instance.Id)),
  ].filter(({ StepStatus }) => StepStatus === 'Approved').length
  const instanceId = String(instance.Id)
  const target = String(instance.TargetObjectId)
  writing.table('ProcessInstanceWorkitem').delete(String(item.Id))
  addStep(writing, {
    instanceId,
    status,
    actor: writing.userId,
    original: str(item, 'OriginalActorId'),
    node: process.steps[done]?.node,
    comments: request.comments,
  })
  if (status === 'Approved' && done + 1 < process.steps.length) {
    setStatus(writing, instance, {})
    const submitter = String(instance.SubmittedById)
    const actor = approverOf(writing, { process, at: done + 1, submitter, chosen: request.nextApproverIds })
    return assigned(writing, { instanceId, target, actor })
  }
  setStatus(writing, instance, { Status: status, CompletedDate: writing.stamp })
  if (status === 'Approved') changeTarget(writing, target, process.onApproval)
  if (status === 'Rejected') changeTarget(writing, target, process.onRejection)
  return resultOf({ instanceId, target, status, actors: [], items: [] })
}

const isApprover = (writing: Writing, actor: string): boolean =>
  actor === writing.userId ||
  [...writing.table('GroupMember').find('GroupId', actor)].some(
    ({ UserOrGroupId }) => UserOrGroupId === writing.userId,
  )

const setStatus = (writing: Writing, instance: Row, fields: Row): void =>
  changeRecord(writing, writing.org.object('ProcessInstance'), instance, {
    LastActorId: writing.userId,
    ...fields,
  })

/** What a process sets on the record is set by the service, past locks and the rights of the approver. */
const changeTarget = (writing: Writing, id: string, fields: Row): void => {
  const found = writing.org.lookup(id)
  if (found && Object.keys(fields).length > 0) changeRecord(writing, found.object, found.row, fields)
}

interface Asking {
  readonly process: ApprovalProcess
  readonly at: number
  readonly submitter: string
  readonly chosen: readonly string[] | undefined
}

const approverOf = (writing: Writing, { process, at, submitter, chosen }: Asking): string => {
  const approver = process.steps[at]?.approver
  if (approver && 'user' in approver) return approver.user
  if (approver?.by === 'manager') {
    const manager = str(writing.table('User').get(submitter), 'ManagerId')
    if (manager === undefined) throw refuse('MANAGER_NOT_DEFINED', 'Manager undefined.', [])
    return manager
  }
  const [named] = chosen ?? []
  if (named === undefined) throw requiredMissing(['nextApproverIds'])
  const id = readId(named) ?? ''
  if (!writing.table('User').has(id) && !writing.table('Group').has(id)) throw badReference()
  return id
}

const assigned = (
  writing: Writing,
  { instanceId, target, actor }: { instanceId: string; target: string; actor: string },
): ApprovalResult => {
  const item = insertRecord(writing, writing.org.object('ProcessInstanceWorkitem'), {
    ProcessInstanceId: instanceId,
    ActorId: actor,
    OriginalActorId: actor,
  })
  return resultOf({ instanceId, target, status: 'Pending', actors: [actor], items: [item] })
}

const resultOf = (of: {
  readonly instanceId: string
  readonly target: string
  readonly status: string
  readonly actors: readonly string[]
  readonly items: readonly string[]
}): ApprovalResult => ({
  actorIds: of.actors,
  entityId: of.target,
  errors: null,
  instanceId: of.instanceId,
  instanceStatus: of.status,
  newWorkitemIds: of.items,
  success: true,
})

interface Step {
  readonly instanceId: string
  readonly status: string
  readonly actor: string
  readonly original?: string | undefined
  readonly node?: string | undefined
  readonly comments: string | undefined
}

const addStep = (writing: Writing, { instanceId, status, actor, original, node, comments }: Step): void => {
  insertRecord(writing, writing.org.object('ProcessInstanceStep'), {
    ProcessInstanceId: instanceId,
    StepStatus: status,
    ActorId: actor,
    OriginalActorId: original ?? actor,
    ...(node === undefined ? {} : { StepNodeId: node }),
    ...(comments === undefined || comments === '' ? {} : { Comments: comments }),
  })
}
