import type { TwinReply, TwinRequest } from '../../kernel/twin.ts'
import { isRecord } from '../../records.ts'

/** Revisions with the handshake, newest first. */
export const handshakeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
/** The revision without one: each request says everything about itself. */
export const statelessRevision = '2026-07-28'
export const revisions: readonly string[] = [statelessRevision, ...handshakeRevisions]

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  server: -32000,
} as const

export type Json = Readonly<Record<string, unknown>>
export type Id = string | number | null

export interface RpcRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Json
}

/** A refusal of the protocol, as opposed to a tool's own. */
export class McpError extends Error {
  override readonly name = 'McpError'
  readonly code: number
  readonly status: number
  readonly data: Json | undefined
  constructor(code: number, message: string, extra: { status?: number; data?: Json } = {}) {
    super(message)
    this.code = code
    this.status = extra.status ?? 200
    this.data = extra.data
  }
}

const decoder = new TextDecoder()

/** What a body holds: a request, or a notification or response, which is taken without an answer. */
export const readMessage = (body: Uint8Array): RpcRequest | 'no answer' => {
  let message: unknown
  try {
    message = JSON.parse(decoder.decode(body))
  } catch {
    throw new McpError(codes.parse, 'Parse error: the body is not JSON', { status: 400 })
  }
  const invalid = (why: string) =>
    new McpError(codes.invalidRequest, `Invalid Request: ${why}`, { status: 400 })
  if (Array.isArray(message)) throw invalid('batches are not supported')
  if (!isRecord(message) || message.jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"')
  const { id, method, params = {} } = message
  if (method === undefined && ('result' in message || 'error' in message)) return 'no answer'
  if (typeof method !== 'string') throw invalid('method must be a string')
  if (id === undefined) return 'no answer'
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid('id must be a string or a number')
  if (!isRecord(params)) throw invalid('params must be an object')
  return { id, method, params }
}

/** The id of a request that could not be served, as far as it can be read. */
export const idOf = (body: Uint8Array): Id => {
  try {
    const message: unknown = JSON.parse(decoder.decode(body))
    const id = isRecord(message) ? message.id : undefined
    return typeof id === 'string' || typeof id === 'number' ? id : null
  } catch {
    return null
  }
}

/** A JSON-RPC message as plain JSON, or as the one event of a stream for clients that read nothing else. */
export const rpcReply = (request: TwinRequest, status: number, message: Json): TwinReply => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message })
  return status === 200 && readsStreamsOnly(request.headers.accept ?? '')
    ? {
        status,
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
        body: `event: message\ndata: ${text}\n\n`,
      }
    : { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: text }
}

export const rpcError = (
  request: TwinRequest,
  id: Id,
  { code, message, data, status }: McpError,
): TwinReply => rpcReply(request, status, { id, error: { code, message, ...(data ? { data } : {}) } })

const takesJson = /(?:application\/(?:json|\*)|\*\/\*)/i
const takesStreams = /text\/(?:event-stream|\*)/i

const readsStreamsOnly = (accept: string): boolean => takesStreams.test(accept) && !takesJson.test(accept)

/** Whether a client that accepts only this can read an answer at all. */
export const isReadable = (accept: string): boolean =>
  accept === '' || takesJson.test(accept) || takesStreams.test(accept)
