import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Answer, Format } from '@diorama/twin-kit/wires/odata/context'
import { type FaultKind, faultKind, fill } from '@diorama/twin-kit/wires/odata/faults'
import { isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Notice } from '@diorama/twin-kit/wires/odata/write/operations'
import { escapeXml } from '@diorama/twin-kit/wires/xml'
import type { Service } from '../catalogue/catalogue.ts'

const malformed = '005056A509B11ED1B9BF94F386DD82E6'
const argument = '005056A509B11EE1BB8AF4A65EC3CA20'
const segment = '005056A509B11EE1B9A8FEC11C21D78E'
const business = '/IWBEP/CM_MGW_RT/022'

/** The codes and words that the Gateway has for what is wrong with a request. */
const words: Readonly<Partial<Record<FaultKind, readonly [code: string, text?: string]>>> = {
  malformed_uri: [malformed, 'Malformed URI literal syntax'],
  malformed_syntax: [malformed, 'The Data Services Request could not be understood due to malformed syntax'],
  malformed_body: [
    malformed,
    'The Data Services Request could not be understood due to malformed syntax: {reason}',
  ],
  invalid_option: [malformed, "Invalid system query option value specified for '{name}'"],
  unknown_option: [malformed, "Invalid system query option '{name}'"],
  options_not_allowed: [
    business,
    'The Data Services Request contains SystemQueryOptions that are not allowed for this Request Type',
  ],
  unknown_segment: [segment, "Resource not found for the segment '{segment}'."],
  unknown_property: [segment, "Resource not found for the segment '{property}'."],
  entity_missing: ['/IWBEP/CM_MGW_RT/020', "Resource not found for segment '{type}'"],
  invalid_key: [
    malformed,
    'Invalid key predicate. The quantity of provided keys does not match the expected value',
  ],
  invalid_filter: [argument, 'Invalid filter expression: {reason} (Position: {position})'],
  invalid_argument: [argument, "Invalid parametertype used at function '{name}' (Position: {position})"],
  not_filterable: [business, "Property '{property}' is not filterable"],
  not_sortable: [business, "Property '{property}' is not sortable"],
  invalid_value: [malformed, "Property '{property}' at offset '{offset}' has invalid value '{value}'"],
  unreadable_property: [malformed, "Failed to read property '{property}' at offset '{offset}'"],
  invalid_property: [malformed, "Property '{property}' is invalid"],
  invalid_parameter: ['005056A509B11EE1B9A8FEC11C21578E', 'Invalid Function Import Parameter'],
  missing_element: [
    'SADL_ENTITY_RUNTIME/018',
    "At create the mandatory element '{property}' of entity '{type}' was not provided",
  ],
  deep_update: [business, "Deep update is not supported for navigation property '{property}'"],
  duplicate: ['SADL_ENTITY_RUNTIME/019', "Entity '{type}' with key '{key}' already exists"],
  not_creatable: ['SADL_ENTITY_RUNTIME/011', "Creating operations are disabled for entity '{type}'"],
  not_updatable: ['SADL_ENTITY_RUNTIME/012', "Updating operations are disabled for entity '{type}'"],
  not_deletable: ['SADL_ENTITY_RUNTIME/013', "Deleting operations are disabled for entity '{type}'"],
  method_not_allowed: ['/IWFND/CM_MGW/003', "Method '{method}' not allowed for this resource"],
  not_implemented: ['/IWBEP/CM_MGW_RT/021', "Method '{name}' not implemented in data provider class"],
  links_not_writable: ['/IWBEP/CM_MGW_RT/021', "Method 'LINKS' not implemented in data provider class"],
  precondition_required: [
    'SADL_ENTITY_RUNTIME/004',
    "Precondition required for entity '{type}' (If-Match missing)",
  ],
  precondition_failed: [
    'SADL_ENTITY_RUNTIME/006',
    "Precondition failed for entity '{type}' (If-Match does not match)",
  ],
  if_match_on_create: [
    '/IWFND/CM_MGW/537',
    'If-Match or If-None-Match headers are not allowed when creating an entity',
  ],
  not_acceptable: [
    '005056A509B11ED19BEB6513AA349DA5',
    'The requested format is not supported for this resource',
  ],
  unsupported_media: [malformed, "Content type '{type}' is not supported"],
  batch_malformed: [malformed, 'The batch request is malformed: {reason}'],
  batch_write_outside: [malformed, 'Changing operations are only allowed inside a changeset'],
  batch_read_inside: [malformed, 'Retrieve operations are not allowed inside a changeset'],
}

export interface Complaint {
  readonly code: string
  readonly text: string
  readonly status: number
  /** Raised by the application, with details. */
  readonly business: boolean
  readonly target: string
}

/** What the Gateway says to a refusal. */
export const complaintOf = (refusal: VendorError): Complaint => {
  const kind = faultKind(refusal)
  const { status, data } = refusal
  if (!kind)
    return {
      code: refusal.code,
      text: refusal.message,
      status,
      business: data.business === true,
      target: typeof data.target === 'string' ? data.target : '',
    }
  const [code, text] = words[kind] ?? [malformed]
  const details = isDetails(data.details) ? data.details : {}
  return {
    code,
    text: text === undefined ? refusal.message : fill(text, details),
    status,
    business: false,
    target: '',
  }
}

const isDetails = (value: unknown): value is Record<string, string | number> =>
  typeof value === 'object' && value !== null

export interface ErrorPlace {
  readonly service: Service | undefined
  readonly now: number
  /** What the transaction's id is made from. */
  readonly trace: string
}

const resolution = {
  SAP_Transaction:
    'For backend administrators: use ADT feed reader "SAP Gateway Error Log" or run transaction /IWFND/ERROR_LOG on SAP Gateway hub system and search for entries with the timestamp above for more details',
  SAP_Note: 'See SAP Note 1797736 for error analysis (https://service.sap.com/sap/support/notes/1797736)',
}

/** An error as the Gateway sends it, in the format that the caller reads. */
export const errorAnswer = (
  complaint: Complaint,
  format: Format,
  { service, now, trace }: ErrorPlace,
): Answer => {
  const { code, text, status } = complaint
  const application = {
    component_id: service?.component ?? '',
    service_namespace: '/SAP/',
    service_id: service?.name ?? '',
    service_version: service?.version ?? '0001',
  }
  const transactionid = sha256(`${now}:${trace}`).slice(0, 32).toUpperCase()
  const timestamp = `${isoOf(now).replace(/\D/g, '').slice(0, 14)}.${isoOf(now).slice(20, 23)}0000`
  const details = errorDetails(complaint)
  if (format === 'json') {
    const innererror = {
      application,
      transactionid,
      timestamp,
      Error_Resolution: resolution,
      errordetails: details,
    }
    const body = { error: { code, message: { lang: 'en', value: text }, innererror } }
    return {
      status,
      headers: { 'content-type': 'application/json;charset=utf-8', dataserviceversion: '1.0' },
      body: JSON.stringify(body),
    }
  }
  const inner = element('innererror', [
    element('application', elements(application)),
    ...elements({ transactionid, timestamp }),
    element('Error_Resolution', elements(resolution)),
    element(
      'errordetails',
      details.map((detail) => element('errordetail', elements(detail))),
    ),
  ])
  const body = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">',
    element('code', [escapeXml(code)]),
    `<message xml:lang="en">${escapeXml(text)}</message>${inner}</error>`,
  ].join('')
  return {
    status,
    headers: { 'content-type': 'application/xml;charset=utf-8', dataserviceversion: '1.0' },
    body,
  }
}

const element = (name: string, inside: readonly string[]): string => `<${name}>${inside.join('')}</${name}>`
const elements = (fields: Readonly<Record<string, string>>): string[] =>
  Object.entries(fields).map(([name, value]) => element(name, [escapeXml(value)]))

/** Business errors say what went wrong and who said so; errors of the protocol have no details. */
const errorDetails = ({ code, text, business: raised, target }: Complaint): Record<string, string>[] => {
  const detail = (detailCode: string, message: string) => ({
    ContentID: '',
    code: detailCode,
    message,
    propertyref: target,
    severity: 'error',
    target,
  })
  return raised ? [detail(code, text), detail('/IWBEP/CX_MGW_BUSI_EXCEPTION', text)] : []
}

/** Warnings travel in a header: the first with the others below it. */
export const noticeHeaders = (notices: readonly Notice[]): Record<string, string> => {
  const [first, ...more] = notices.map(({ code, text, severity, target }) => ({
    code: code === 'read-only' ? '/IWBEP/CM_MGW_RT/096' : code,
    message: text,
    severity,
    target: target ?? '',
  }))
  if (!first) return {}
  return { 'sap-message': headerSafe(JSON.stringify({ ...first, longtext_url: '', details: more })) }
}

/** Headers hold ASCII alone. */
const headerSafe = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
