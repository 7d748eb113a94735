import { timingSafeEqual } from 'node:crypto'
import type { TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import {
  codes,
  handshakeRevisions,
  isReadable,
  type Json,
  McpError,
  metaKeys,
  type RpcRequest,
  readMessage,
  revisions,
  rpcError,
  rpcReply,
} from '@diorama/twin-kit/wires/mcp/messages'
import { isStateless } from '@diorama/twin-kit/wires/mcp/revision'
import type { Decoy, DecoyTool } from './catalog.ts'

/** A call of a tool, as it is recorded. */
export interface DecoyCall {
  readonly tool: string
  readonly arguments: Json
  readonly failed: boolean
}

export interface DecoyAnswer {
  readonly reply: TwinReply
  readonly operation: string
  readonly call?: DecoyCall
}

const listTtlMs = 3_600_000

/** Answers for a decoy: it has nothing to find, and lets nobody change anything. */
export const answerDecoy = (decoy: Decoy, token: string, request: TwinRequest): DecoyAnswer => {
  if (request.method !== 'POST')
    return { reply: { status: 405, headers: { allow: 'POST' }, body: '' }, operation: request.method }
  if (!isAllowed(request.headers.authorization ?? '', token))
    return {
      reply: { status: 401, headers: { 'www-authenticate': `Bearer realm="${decoy.name}"` }, body: '' },
      operation: 'unauthorized',
    }
  let id: RpcRequest['id'] | null = null
  let operation = 'unreadable'
  try {
    if (!isReadable(request.headers.accept ?? ''))
      throw new McpError(codes.server, 'Not Acceptable: accept application/json', { status: 406 })
    const message = readMessage(request.body)
    if (message === 'no answer')
      return { reply: { status: 202, headers: {}, body: '' }, operation: 'notification' }
    id = message.id
    operation = message.method
    const stateless = isStateless(request, message)
    const { result, call } = resultOf(decoy, message, stateless)
    const meta = { resultType: 'complete', _meta: { [metaKeys.serverInfo]: serverInfo(decoy) } }
    const reply = rpcReply(request, 200, { id, result: stateless ? { ...meta, ...result } : result })
    return { reply, operation: call ? `tools/call ${call.tool}` : operation, ...(call ? { call } : {}) }
  } catch (error) {
    if (error instanceof McpError) return { reply: rpcError(request, id, error), operation }
    throw error
  }
}

const serverInfo = ({ name, title }: Decoy): Json => ({ name, title, version: '1.0.0' })

const isAllowed = (authorization: string, token: string): boolean => {
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const resultOf = (
  decoy: Decoy,
  { method, params }: RpcRequest,
  stateless: boolean,
): { result: Json; call?: DecoyCall } => {
  const kept = stateless ? { ttlMs: listTtlMs, cacheScope: 'private' } : {}
  const capabilities = { tools: {} }
  if (method === 'tools/list') return { result: { ...kept, tools: decoy.tools.map(described) } }
  if (method === 'tools/call') return called(decoy, params)
  if (stateless && method === 'server/discover')
    return { result: { ...kept, supportedVersions: revisions, capabilities } }
  if (!stateless && method === 'ping') return { result: {} }
  if (!stateless && method === 'initialize') {
    const agreed = handshakeRevisions.find((known) => known === params.protocolVersion)
    return {
      result: {
        protocolVersion: agreed ?? handshakeRevisions[0],
        capabilities,
        serverInfo: serverInfo(decoy),
      },
    }
  }
  throw new McpError(codes.methodNotFound, 'Method not found', stateless ? { status: 404 } : {})
}

const described = ({ name, description, writes, args }: DecoyTool): Json => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(args).map(([arg, meaning]) => [arg, { type: 'string', description: meaning }]),
    ),
    required: required(args),
  },
  annotations: {
    readOnlyHint: !writes,
    destructiveHint: false,
    idempotentHint: !writes,
    openWorldHint: false,
  },
})

const required = (args: DecoyTool['args']): string[] =>
  Object.keys(args).filter((arg) => !args[arg]?.startsWith('Optional'))

const called = (decoy: Decoy, { name, arguments: args = {} }: Json): { result: Json; call: DecoyCall } => {
  const tool = decoy.tools.find((one) => one.name === name)
  if (!tool) throw new McpError(codes.invalidParams, `Unknown tool: ${String(name).slice(0, 100)}`)
  if (!isRecord(args)) throw new McpError(codes.invalidParams, 'params.arguments must be an object')
  const missing = required(tool.args).filter((arg) => typeof args[arg] !== 'string')
  const problem =
    missing.length > 0
      ? `Input validation error: ${missing.join(', ')} must be a string`
      : tool.writes
        ? 'permission_denied: this account may only read.'
        : undefined
  const text = problem ?? JSON.stringify({ results: [], total: 0 })
  const failed = problem !== undefined
  return {
    result: { content: [{ type: 'text', text }], ...(failed ? { isError: true } : {}) },
    call: { tool: tool.name, arguments: args, failed },
  }
}
