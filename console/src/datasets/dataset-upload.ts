import { ApiError, addressOf, markHeaders, type Reply } from '../api.ts'

export interface UploadQuery {
  readonly name: string
  readonly format: string
  readonly organization?: string | undefined
  readonly clock?: string | undefined
  readonly acts_as?: string | undefined
  readonly pseudonymize?: 'true' | undefined
}

const types: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  zip: 'application/zip',
  csv: 'text/csv',
  sqlite: 'application/x-sqlite3',
  db: 'application/x-sqlite3',
}

type Version = Reply<'readDatasetVersion'>
interface Refusal {
  readonly error?: string
  readonly code?: string
  readonly request_id?: string
  readonly details?: readonly { pointer: string; message: string }[]
}

/** Sends a file as it is read from disk and reports the share that has gone; `fetch` cannot tell how much was sent. */
export const uploadDataset = (
  file: File,
  query: UploadQuery,
  onProgress: (share: number) => void,
): Promise<Version> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', addressOf('/v1/datasets', {}, { ...query }))
    for (const [name, value] of Object.entries(markHeaders)) request.setRequestHeader(name, value)
    const ending = file.name.split('.').at(-1)?.toLowerCase() ?? ''
    request.setRequestHeader('content-type', types[ending] ?? 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.upload.onload = () => onProgress(1)
    request.onerror = () =>
      reject(
        new ApiError('The service cannot be reached. Is it running?', { status: 0, code: 'network_error' }),
      )
    request.onload = () => {
      if (request.status === 201) return resolve(JSON.parse(request.responseText) as Version)
      return reject(refusalOf(request.status, request.responseText))
    }
    request.send(file)
  })

const refusalOf = (status: number, text: string): ApiError => {
  const body = readRefusal(text)
  return new ApiError(body.error ?? `The service answered ${status}.`, {
    status,
    code: body.code ?? '',
    requestId: body.request_id,
    details: body.details,
  })
}

const readRefusal = (text: string): Refusal => {
  try {
    return JSON.parse(text) as Refusal
  } catch {
    return {}
  }
}
