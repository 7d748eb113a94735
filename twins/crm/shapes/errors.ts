import type { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply } from '@diorama/twin-kit/wires/rest'

type Body = Readonly<Record<string, unknown>>

/** A refusal as an entry of the list that errors are. */
export const errorEntry = (refusal: VendorError): Body => ({
  message: refusal.message,
  errorCode: refusal.code,
  ...(Array.isArray(refusal.data.fields) ? { fields: refusal.data.fields } : {}),
})

/** The same inside a list of results, where the code has another name. */
export const rowError = (refusal: VendorError): Body => {
  const unknown = refusal.code === 'NOT_FOUND'
  return {
    statusCode: unknown ? 'INVALID_CROSS_REFERENCE_KEY' : refusal.code,
    message: unknown ? 'invalid cross reference id' : refusal.message,
    fields: Array.isArray(refusal.data.fields) ? refusal.data.fields : [],
  }
}

export const errorReply = (refusal: VendorError, version: string, object?: string): RestReply => {
  const ids = refusal.data.ids
  if (refusal.status === 300 && Array.isArray(ids))
    return {
      status: 300,
      body: ids.map((id) => `/services/data/v${version}/sobjects/${object ?? 'sobject'}/${String(id)}`),
    }
  return { status: refusal.status, body: [errorEntry(refusal)] }
}
