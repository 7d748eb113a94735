import { isRecord } from '../records.ts'
import { type RpcFile, readMultipart } from './rpc-multipart.ts'

/**
 * The wire of services that take a named method with arguments, sent in whichever way the client likes: in the query,
 * as a form, as multipart or as JSON. It only reads; what the arguments mean belongs to the twin.
 */
export interface RpcRequest {
  readonly method: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type RpcArguments = Readonly<Record<string, unknown>>

/** Why a body could not be read. */
export type RpcFault = 'missing_type' | 'unknown_type' | 'bad_json' | 'json_not_object' | 'bad_form'

export interface RpcInput {
  readonly args: RpcArguments
  /** Files that came in a multipart body, by field name. */
  readonly files: Readonly<Record<string, RpcFile>>
  readonly encoding: 'none' | 'form' | 'multipart' | 'json'
  /** Whether the content type named a character set. */
  readonly charset: boolean
  readonly fault?: RpcFault
}

export interface RpcOptions {
  /** Where the method takes no JSON, a JSON body is skipped and the query is read instead. */
  readonly takesJson: boolean
}

const decoder = new TextDecoder()

/** Reads `a=1&b=2`; of a repeated name the last one counts, as in the services that use this wire. */
export const readForm = (text: string): Record<string, string> => {
  const args: Record<string, string> = {}
  if (text !== '') for (const [name, value] of new URLSearchParams(text)) args[name] = value
  return args
}

/** Arguments in the order of precedence of such services: JSON alone, or the body laid over the query. */
export const readArguments = (request: RpcRequest, options: RpcOptions): RpcInput => {
  const query = readForm(request.query)
  const contentType = request.headers['content-type'] ?? ''
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const charset = /;\s*charset=/i.test(contentType)
  const empty = { args: query, files: {}, encoding: 'none' as const, charset }
  if (request.method === 'GET' || request.method === 'HEAD' || request.body.length === 0) return empty
  if (type === '') return { ...empty, fault: 'missing_type' }
  if (type === 'application/json')
    return options.takesJson ? readJson(request.body, charset) : { ...empty, encoding: 'json' }
  if (type === 'application/x-www-form-urlencoded') {
    const form = readForm(decoder.decode(request.body))
    return { args: { ...query, ...form }, files: {}, encoding: 'form', charset }
  }
  if (type === 'multipart/form-data') {
    const parts = readMultipart(request.body, contentType)
    if (!parts) return { ...empty, encoding: 'multipart', fault: 'bad_form' }
    return { args: { ...query, ...parts.fields }, files: parts.files, encoding: 'multipart', charset }
  }
  return { ...empty, fault: 'unknown_type' }
}

const readJson = (body: Uint8Array, charset: boolean): RpcInput => {
  const empty = { args: {}, files: {}, encoding: 'json' as const, charset }
  try {
    const value: unknown = JSON.parse(decoder.decode(body))
    return isRecord(value) ? { ...empty, args: value } : { ...empty, fault: 'json_not_object' }
  } catch {
    return { ...empty, fault: 'bad_json' }
  }
}

/** The credential of a request: the bearer header first, then the argument of the given name. */
export const credentialOf = (
  request: RpcRequest,
  args: RpcArguments,
  argument: string,
): string | undefined => {
  const header = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')
  if (header?.[1]) return header[1]
  const value = args[argument]
  return typeof value === 'string' && value !== '' ? value : undefined
}
