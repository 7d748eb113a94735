import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
import type { ApprovalResult } from '../approvals/process.ts'
import { approvalRequest } from '../approvals/routes.ts'
import { requiredMissing } from '../records/refusals.ts'
import { errorEntry } from '../shapes/errors.ts'
import { type ApiCall, type Body, bodyOf, isTrue } from './context.ts'

const maxInputs = 200

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

const addressesOf = (input: Body): string[] => {
  const list = Array.isArray(input.emailAddressesArray) ? input.emailAddressesArray.map(text) : []
  return [...text(input.emailAddresses).split(','), ...list]
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

const sendEmail = (api: ApiCall, input: Body): null => {
  const relatedTo = text(input.relatedRecordId)
  api.session.call('sendEmail', {
    to: addressesOf(input),
    subject: text(input.emailSubject),
    body: text(input.emailBody),
    isHtml: isTrue(input.sendRichBody),
    log: isTrue(input.logEmailOnSend),
    ...(relatedTo === '' ? {} : { relatedTo }),
  })
  return null
}

/** The same as a request to `process/approvals`, under other names. */
const submitForApproval = (api: ApiCall, input: Body): Body => {
  if (text(input.objectId) === '') throw requiredMissing(['objectId'])
  const request = approvalRequest({
    actionType: 'Submit',
    contextId: input.objectId,
    comments: input.comment,
    contextActorId: input.submitterId,
    nextApproverIds: input.nextApproverIds,
    processDefinitionNameOrId: input.processDefinitionNameOrId,
    skipEntryCriteria: input.skipEntryCriteria,
  })
  const done = api.session.call<ApprovalResult>('processApproval', request)
  const { actorIds, entityId, instanceId, instanceStatus, newWorkitemIds } = done
  return { actorIds, entityId, instanceId, instanceStatus, newWorkItemIds: newWorkitemIds }
}

/** Does one request, as an invocable action does: its failure is a result among the others. */
const runOne = (api: ApiCall, action: Action, input: Body): Body => {
  try {
    return result(
      action,
      null,
      api.session.atomic(() => action.run(api, input)),
    )
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    const { message, errorCode, fields } = errorEntry(error)
    return result(action, [{ statusCode: errorCode, message, fields: fields ?? [] }], null)
  }
}

const result = (action: Action, errors: readonly Body[] | null, outputValues: Body | null): Body => ({
  actionName: action.name,
  errors,
  invocationId: null,
  isSuccess: errors === null,
  outcome: null,
  outputValues,
  sortOrder: -1,
  version: 1,
})

const runAction = (api: ApiCall, action: Action): RestReply => {
  const { inputs } = bodyOf(api)
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > maxInputs)
    throw new VendorError('INVALID_INPUT', `inputs is a list of 1 to ${maxInputs} requests`)
  const results = inputs.map((input) => runOne(api, action, isRecord(input) ? input : {}))
  const failed = results.some(({ isSuccess }) => isSuccess === false)
  return { status: failed ? 400 : 200, body: results }
}

const parameter = (name: string, type: string, required: boolean): Body => ({
  name,
  type,
  required,
  label: name,
  description: '',
  maxOccurs: 1,
  byteLength: 0,
})

/** An action that programs invoke. */
interface Action {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly category: string
  readonly description: string
  readonly inputs: readonly Body[]
  readonly outputs: readonly Body[]
  readonly run: (api: ApiCall, input: Body) => Body | null
}

const actions: readonly Action[] = [
  {
    name: 'emailSimple',
    label: 'Send Email',
    type: 'EMAILSIMPLE',
    category: 'Messaging',
    description: 'Sends an email.',
    inputs: [
      parameter('emailAddresses', 'STRING', false),
      parameter('emailSubject', 'STRING', true),
      parameter('emailBody', 'TEXTAREA', true),
      parameter('relatedRecordId', 'STRING', false),
      parameter('logEmailOnSend', 'BOOLEAN', false),
      parameter('sendRichBody', 'BOOLEAN', false),
    ],
    outputs: [],
    run: sendEmail,
  },
  {
    name: 'submit',
    label: 'Submit for Approval',
    type: 'SUBMITAPPROVAL',
    category: 'Approvals',
    description: 'Submits a record for approval.',
    inputs: [
      parameter('objectId', 'REFERENCE', true),
      parameter('comment', 'STRING', false),
      parameter('nextApproverIds', 'REFERENCE', false),
      parameter('processDefinitionNameOrId', 'STRING', false),
      parameter('skipEntryCriteria', 'BOOLEAN', false),
      parameter('submitterId', 'REFERENCE', false),
    ],
    outputs: [
      parameter('actorIds', 'REFERENCE', false),
      parameter('entityId', 'REFERENCE', false),
      parameter('instanceId', 'REFERENCE', false),
      parameter('instanceStatus', 'STRING', false),
      parameter('newWorkItemIds', 'REFERENCE', false),
    ],
    run: submitForApproval,
  },
]

const describeAction = ({ run: _run, ...description }: Action): Body => ({ ...description, standard: true })

/** The invocable actions that the twin has, and the publishing of articles. */
export const actionRoutes: readonly Route<ApiCall>[] = [
  {
    method: 'GET',
    path: '/actions',
    handle: (_params, api) => {
      const base = `/services/data/v${api.version}/actions`
      return { status: 200, body: { standard: `${base}/standard`, custom: `${base}/custom` } }
    },
  },
  {
    method: 'GET',
    path: '/actions/standard',
    handle: (_params, api) => ({
      status: 200,
      body: {
        actions: actions.map(({ label, name, type }) => ({
          label,
          name,
          type,
          url: `/services/data/v${api.version}/actions/standard/${name}`,
        })),
      },
    }),
  },
  ...actions.flatMap((action): Route<ApiCall>[] => [
    {
      method: 'GET',
      path: `/actions/standard/${action.name}`,
      handle: () => ({ status: 200, body: describeAction(action) }),
    },
    {
      method: 'POST',
      path: `/actions/standard/${action.name}`,
      handle: (_params, api) => runAction(api, action),
    },
  ]),
  {
    method: 'PATCH',
    path: '/knowledgeManagement/articleVersions/masterVersions/:id',
    handle: (params, api) => {
      api.session.call('publishArticle', { id: params('id'), status: text(bodyOf(api).publishStatus) })
      return { status: 204 }
    },
  },
]
