import { ModelFailure, type ModelFailureReason } from './model.ts'

/** The parts of a provider's error that we read; the packages mark theirs by name. */
interface CallError extends Error {
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly isRetryable?: boolean
}

interface FailedCall {
  readonly model: string
  readonly keyName: string
  readonly apiKey: string | undefined
  readonly timedOut: boolean
}

const isCallError = (error: unknown): error is CallError =>
  error instanceof Error && error.name === 'AI_APICallError'

/** A provider's failure in our words. `keyName` is the setting that holds the credential, which is never repeated. */
export const failureOf = (error: unknown, { model, keyName, apiKey, timedOut }: FailedCall): unknown => {
  if (error instanceof ModelFailure) return error
  if (timedOut)
    return new ModelFailure('timeout', `The model ${model} did not answer in time.`, { cause: error })
  if (!isCallError(error)) return error
  const { statusCode: status } = error
  const said = (apiKey ? error.message.replaceAll(apiKey, '[redacted]') : error.message).slice(0, 500)
  if (status === 401 || status === 403)
    return new ModelFailure('not_configured', `The model ${model} refused the key in ${keyName}: ${said}`, {
      cause: error,
    })
  const reason = reasonOf(status, error.isRetryable === true)
  const answer = status === undefined ? 'cannot be reached' : `answered ${status}`
  return new ModelFailure(reason, `The endpoint of the model ${model} ${answer}: ${said}`, {
    cause: error,
    retryAfterMs: retryAfter(error.responseHeaders ?? {}),
  })
}

const reasonOf = (status: number | undefined, retryable: boolean): ModelFailureReason => {
  if (status === 429) return 'rate_limited'
  if (status === undefined) return retryable ? 'unavailable' : 'bad_output'
  if (status >= 500 || status === 408) return 'unavailable'
  return status >= 400 ? 'refused' : 'bad_output'
}

const retryAfter = (headers: Readonly<Record<string, string>>): number | undefined => {
  const precise = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (precise >= 0) return precise
  const seconds = Number.parseFloat(headers['retry-after'] ?? '')
  return seconds >= 0 ? seconds * 1_000 : undefined
}
