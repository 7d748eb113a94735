import { VendorError } from '../../kernel/twin.ts'

/**
 * What a service can hold against a request, apart from its own business rules. The twin gives each its vendor's code
 * and words; the text here is what is said where it does not.
 */
export const faults = {
  malformed_uri: { status: 400, text: 'Malformed URI literal syntax' },
  malformed_syntax: { status: 400, text: 'The request could not be understood due to malformed syntax' },
  malformed_body: { status: 400, text: 'The body could not be read: {reason}' },
  invalid_option: { status: 400, text: "Invalid value for the system query option '{name}'" },
  unknown_option: { status: 400, text: "The system query option '{name}' is not supported" },
  options_not_allowed: { status: 400, text: 'System query options are not allowed for this request' },
  unknown_segment: { status: 404, text: "Resource not found for the segment '{segment}'" },
  entity_missing: { status: 404, text: "Resource not found for segment '{type}'" },
  unknown_property: { status: 404, text: "Resource not found for the segment '{property}'" },
  invalid_key: { status: 400, text: 'The key predicate does not fit the key of {type}' },
  invalid_filter: { status: 400, text: 'Invalid filter: {reason} (position {position})' },
  invalid_argument: {
    status: 400,
    text: "Invalid parameter type used at function '{name}' (position {position})",
  },
  not_filterable: { status: 400, text: "Property '{property}' cannot be used in a filter" },
  not_sortable: { status: 400, text: "Property '{property}' cannot be sorted by" },
  invalid_value: {
    status: 400,
    text: "Property '{property}' at offset '{offset}' has invalid value '{value}'",
  },
  unreadable_property: { status: 400, text: "Failed to read property '{property}' at offset '{offset}'" },
  invalid_property: { status: 400, text: "Property '{property}' is invalid" },
  invalid_parameter: { status: 400, text: "Invalid function import parameter '{name}'" },
  missing_element: { status: 400, text: "The mandatory element '{property}' of {type} was not provided" },
  deep_update: { status: 400, text: "An update cannot carry the related entities '{property}'" },
  duplicate: { status: 400, text: '{type} {key} exists already' },
  not_creatable: { status: 405, text: 'Creating is not possible for {set}' },
  not_updatable: { status: 405, text: 'Updating is not possible for {set}' },
  not_deletable: { status: 405, text: 'Deleting is not possible for {set}' },
  method_not_allowed: { status: 405, text: 'Method {method} is not allowed here' },
  not_implemented: { status: 501, text: "Method '{name}' is not implemented" },
  links_not_writable: { status: 501, text: 'Links of {set} cannot be written' },
  precondition_required: { status: 428, text: 'Precondition required (If-Match is missing)' },
  precondition_failed: { status: 412, text: 'Precondition failed (the entity has changed)' },
  if_match_on_create: { status: 400, text: 'If-Match is not allowed when creating' },
  not_acceptable: { status: 406, text: 'The requested format is not available' },
  unsupported_media: { status: 415, text: 'Content type {type} is not supported' },
  batch_malformed: { status: 400, text: 'The batch could not be read: {reason}' },
  batch_write_outside: { status: 400, text: 'A changing request must be in a changeset' },
  batch_read_inside: { status: 400, text: 'A changeset cannot hold a reading request' },
  too_large: { status: 413, text: 'The request holds more than {limit} {what}' },
} as const

export type FaultKind = keyof typeof faults
export type FaultDetails = Readonly<Record<string, string | number>>

const prefix = 'odata/'

export const fault = (kind: FaultKind, details: FaultDetails = {}): VendorError =>
  new VendorError(`${prefix}${kind}`, fill(faults[kind].text, details), {
    status: faults[kind].status,
    data: { details },
  })

/** Which fault of this engine a refusal is; undefined for a business rule's own refusal. */
export const faultKind = (refusal: VendorError): FaultKind | undefined => {
  const name = refusal.code.startsWith(prefix) ? refusal.code.slice(prefix.length) : ''
  return isFaultKind(name) ? name : undefined
}

const isFaultKind = (name: string): name is FaultKind => Object.hasOwn(faults, name)

/** Puts the details into the braces of a text. */
export const fill = (text: string, details: FaultDetails): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''))
