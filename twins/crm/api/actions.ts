import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
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

/** Sends one e-mail, as an invocable action does: its failure is a result among the others. */
const emailSimple = (api: ApiCall, input: Body): Body => {
  const relatedTo = text(input.relatedRecordId)
  try {
    api.session.call('sendEmail', {
      to: addressesOf(input),
      subject: text(input.emailSubject),
      body: text(input.emailBody),
      isHtml: isTrue(input.sendRichBody),
      log: isTrue(input.logEmailOnSend),
      ...(relatedTo === '' ? {} : { relatedTo }),
    })
    return result(null)
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    const { message, errorCode, fields } = errorEntry(error)
    return result([{ statusCode: errorCode, message, fields: fields ?? [] }])
  }
}

const result = (errors: readonly Body[] | null): Body => ({
  actionName: 'emailSimple',
  errors,
  invocationId: null,
  isSuccess: errors === null,
  outcome: null,
  outputValues: null,
  sortOrder: -1,
  version: 1,
})

const runAction = (api: ApiCall): RestReply => {
  const { inputs } = bodyOf(api)
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > maxInputs)
    throw new VendorError('INVALID_INPUT', `inputs is a list of 1 to ${maxInputs} requests`)
  const results = inputs.map((input) =>
    emailSimple(api, typeof input === 'object' && input !== null ? (input as Body) : {}),
  )
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

const description: Body = {
  name: 'emailSimple',
  label: 'Send Email',
  type: 'EMAILSIMPLE',
  standard: true,
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
}

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
        actions: [
          {
            label: 'Send Email',
            name: 'emailSimple',
            type: 'EMAILSIMPLE',
            url: `/services/data/v${api.version}/actions/standard/emailSimple`,
          },
        ],
      },
    }),
  },
  {
    method: 'GET',
    path: '/actions/standard/emailSimple',
    handle: () => ({ status: 200, body: description }),
  },
  { method: 'POST', path: '/actions/standard/emailSimple', handle: (_params, api) => runAction(api) },
  {
    method: 'PATCH',
    path: '/knowledgeManagement/articleVersions/masterVersions/:id',
    handle: (params, api) => {
      api.session.call('publishArticle', { id: params('id'), status: text(bodyOf(api).publishStatus) })
      return { status: 204 }
    },
  },
]
