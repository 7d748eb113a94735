import type { busyOrganization } from '../setup.ts'

export type Organization = ReturnType<typeof busyOrganization>
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into by the tests.
  readonly body: any
}

/** One rule that the vendor states, what proves it, and where it is stated. */
export interface VendorRule {
  readonly object: string
  /** The rule in our own words. */
  readonly rule: string
  readonly evidence: 'object reference' | 'help' | 'query reference' | 'API reference' | 'recorded error'
  /** Does what the rule is about, and returns the reply. */
  readonly when: (organization: Organization) => Reply
  /** The refusal: its code, or the fields that the record has afterwards. */
  readonly is: string | Readonly<Record<string, unknown>>
}

/** Creates a record and reads it back; a refusal is returned as it came. */
export const made = (organization: Organization, object: string, fields: unknown): Reply => {
  const reply = organization.call('POST', `/sobjects/${object}`, fields)
  return reply.status === 201 ? read(organization, object, reply.body.id) : reply
}

/** Changes a record and reads it back; a refusal is returned as it came. */
export const changed = (organization: Organization, object: string, id: string, fields: unknown): Reply => {
  const reply = organization.call('PATCH', `/sobjects/${object}/${id}`, fields)
  return reply.status === 204 ? read(organization, object, id) : reply
}

export const read = (organization: Organization, object: string, id: string): Reply =>
  organization.call('GET', `/sobjects/${object}/${id}`)

export const removed = (organization: Organization, object: string, id: string): Reply =>
  organization.call('DELETE', `/sobjects/${object}/${id}`)

export const found = (organization: Organization, query: string): Readonly<Record<string, unknown>>[] =>
  organization.call('GET', `/query?q=${encodeURIComponent(query)}`).body.records

export const idOf = (organization: Organization, query: string): string =>
  String(found(organization, query)[0]?.Id)

/** A user who has left. */
export const formerUser = (organization: Organization): string => {
  const id = idOf(organization, "SELECT Id FROM User WHERE Alias = 'mira'")
  organization.call('PATCH', `/sobjects/User/${id}`, { IsActive: false })
  return id
}
