import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { type ApiCall, type Body, bodyOf, isTrue } from '../api/context.ts'
import { rowError } from '../shapes/errors.ts'
import { processesIn } from './definition.ts'
import type { ApprovalRequest, ApprovalResult } from './process.ts'

const maxRequests = 200

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** One request; what it leaves out stays out. */
export const approvalRequest = (body: Body): ApprovalRequest => {
  const approvers = Array.isArray(body.nextApproverIds) ? body.nextApproverIds.map(String) : undefined
  const [actor, comments, named] = [
    text(body.contextActorId),
    text(body.comments),
    text(body.processDefinitionNameOrId),
  ]
  return {
    actionType: text(body.actionType) ?? '',
    contextId: text(body.contextId) ?? '',
    skipEntryCriteria: isTrue(body.skipEntryCriteria),
    ...(actor === undefined ? {} : { contextActorId: actor }),
    ...(comments === undefined ? {} : { comments }),
    ...(approvers === undefined ? {} : { nextApproverIds: approvers }),
    ...(named === undefined ? {} : { processDefinitionNameOrId: named }),
  }
}

const attempt = (api: ApiCall, request: unknown): ApprovalResult | Body => {
  try {
    return api.session.atomic(() =>
      api.session.call<ApprovalResult>('processApproval', approvalRequest(isRecord(request) ? request : {})),
    )
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return {
      actorIds: null,
      entityId: null,
      errors: [rowError(error)],
      instanceId: null,
      instanceStatus: null,
      newWorkitemIds: null,
      success: false,
    }
  }
}

/** Several requests succeed and fail one by one; a single one that fails is the failure of the call. */
const processAll = (api: ApiCall): RestReply => {
  const { requests } = bodyOf(api)
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > maxRequests)
    throw new VendorError('INVALID_INPUT', `requests is a list of 1 to ${maxRequests} requests`)
  api.session.label('POST process/approvals')
  const [only, ...others] = requests
  if (others.length === 0)
    return {
      status: 200,
      body: [api.session.call('processApproval', approvalRequest(isRecord(only) ? only : {}))],
    }
  return { status: 200, body: requests.map((request) => attempt(api, request)) }
}

const list = (api: ApiCall): RestReply => {
  api.session.label('GET process/approvals')
  const approvals: Record<string, Body[]> = {}
  for (const process of processesIn(api.session.views)) {
    if (!api.schema.object(process.object)) continue
    const of = approvals[process.object] ?? []
    approvals[process.object] = [
      ...of,
      {
        description: null,
        id: process.key,
        name: process.label,
        object: process.object,
        sortOrder: of.length + 1,
      },
    ]
  }
  return { status: 200, body: { approvals } }
}

export const approvalRoutes: readonly Route<ApiCall>[] = [
  { method: 'GET', path: '/process/approvals', handle: (_params, api) => list(api) },
  { method: 'POST', path: '/process/approvals', handle: (_params, api) => processAll(api) },
  // The twin has no workflow rules that a caller could trigger.
  { method: 'GET', path: '/process/rules', handle: () => ({ status: 200, body: { rules: {} } }) },
]
