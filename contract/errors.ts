import { z } from 'zod'

/** Every refusal the service can make. A handler throws a code; the edge gives it its status and shape. */
export const errorCodes = {
  malformed: { status: 400, means: 'The request cannot be read: bad JSON, a wrong type, an unknown field.' },
  invalid_blueprint: { status: 400, means: 'The blueprint has the right shape and does not make sense.' },
  invalid_dataset: {
    status: 400,
    means: 'Rows of the import do not fit; each fault names its file, row and field. Nothing was kept.',
  },
  invalid_cursor: { status: 400, means: 'The cursor is not one that this list gave out.' },
  invalid_idempotency_key: { status: 400, means: 'The idempotency key has a wrong form.' },
  invalid_reference: { status: 400, means: 'The request names a record that cannot be used here.' },
  invalid_bundle: {
    status: 400,
    means: 'The bundle is not a .tar.gz that can be used; the message says why.',
  },
  unauthorized: { status: 401, means: 'There is no API key, or it is not valid.' },
  forbidden: { status: 403, means: 'The key lacks the scope or class that this operation needs.' },
  capacity_exceeded: { status: 403, means: 'The organization has no room for the twins that this needs.' },
  sandbox_denied: { status: 403, means: 'The organization has no access to sandboxes.' },
  not_found: { status: 404, means: 'There is no such record in this organization, or no such path.' },
  method_not_allowed: { status: 405, means: 'The path exists and does not take this method.' },
  conflict: { status: 409, means: 'The record is in a state that does not allow this.' },
  idempotency_conflict: { status: 409, means: 'The idempotency key was used with different inputs.' },
  not_configured: {
    status: 409,
    means: 'The deployment lacks a setting that this needs; the message names it.',
  },
  gone: { status: 410, means: 'The twin was stopped or has expired.' },
  too_large: { status: 413, means: 'The body is larger than the configured limit.' },
  unsupported_media_type: { status: 415, means: 'The content type is not one that this operation takes.' },
  invalid_shape: { status: 422, means: 'The JSON body does not have the shape of the request.' },
  limit_exceeded: { status: 429, means: 'Over a limit of concurrency or count.' },
  internal: { status: 500, means: 'The service could not complete the request; quote the request id.' },
  embeddings_off: { status: 501, means: 'Search by meaning is turned off on this deployment.' },
  model_failed: { status: 502, means: "The model's endpoint failed or refused; the message says how." },
  unavailable: { status: 503, means: 'The service is starting, draining or out of a part it needs; retry.' },
  sandbox_unavailable: { status: 503, means: 'No sandbox works on this deployment; the message says why.' },
} as const satisfies Record<string, { status: number; means: string }>

export type ErrorCode = keyof typeof errorCodes

/** One fault in a body: where, and what is wrong. */
export const ErrorDetail = z.object({ pointer: z.string(), message: z.string() })
export type ErrorDetail = z.infer<typeof ErrorDetail>

export const ErrorBody = z
  .object({
    error: z.string(),
    code: z.string(),
    request_id: z.string(),
    details: z.array(ErrorDetail).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
