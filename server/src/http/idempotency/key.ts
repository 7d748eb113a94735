import { ApiError } from '../api-error.ts'

/**
 * What an earlier request with the same idempotency key made, or undefined when there was none. The key belongs to one
 * request: another one that uses it, known by its fingerprint, is a conflict.
 */
export const madeBySameRequest = <Row extends { readonly fingerprint: string }>(
  row: Row | undefined,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: string },
): Row | undefined => {
  if (row && row.fingerprint !== fingerprint)
    throw new ApiError('idempotency_conflict', `The idempotency key ${key} was used with different inputs.`)
  return row
}
