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
import { isSameOrigin } from '@diorama/twin-kit/wires/mcp/serve'
import { toTwinRequest } from '@diorama/twin-kit/wires/twin-request'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callOf, describeTool, serviceTools } from './tools.ts'

const instructions =
  'Build and debug evaluations of AI agents: launch a world from a blueprint, read its activity and diff, write and test scorers, start an evaluation, then read its results and trials to see why an agent failed.'

export interface MountDeps {
  readonly version: string
  readonly bodyLimitBytes: number
  /** Where the service is reached; pages of other origins are refused, whatever name they call it by. */
  readonly baseUrl: () => string
}

/**
 * The service's own server of the Model Context Protocol. A call is sent to the API as the same caller: the same
 * authentication, scopes, validation, limits and errors.
 */
export const mountMcp = async (edge: FastifyInstance, deps: MountDeps): Promise<void> => {
  await edge.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      ['application/json', '*'],
      { parseAs: 'buffer', bodyLimit: deps.bodyLimitBytes },
      (_request, body, done) => done(null, body),
    )
    scope.route({
      method: ['POST', 'GET', 'DELETE'],
      url: '/mcp',
      exposeHeadRoute: false,
      bodyLimit: deps.bodyLimitBytes,
      handler: (request, reply) => serve(edge, deps, request, reply),
    })
  })
}

const serve = async (
  edge: FastifyInstance,
  deps: MountDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const send = ({ status, headers, body }: TwinReply) =>
    reply
      .status(status)
      .headers(headers as Record<string, string>)
      .send(body)
  if (request.method !== 'POST') return send({ status: 405, headers: { allow: 'POST' }, body: '' })
  const asked = asRequest(request)
  if (!isSameOrigin({ headers: asked.headers, baseUrl: deps.baseUrl() }))
    return send({ status: 403, headers: {}, body: '' })
  let id: string | number | null = null
  try {
    if (!isReadable(asked.headers.accept ?? ''))
      throw new McpError(codes.server, 'Not Acceptable: accept application/json', { status: 406 })
    const message = readMessage(asked.body)
    if (message === 'no answer') return send({ status: 202, headers: {}, body: '' })
    id = message.id
    const stateless = isStateless(asked, message)
    const result = await resultOf(edge, deps, request, message, stateless)
    return send(rpcReply(asked, 200, { id, result }))
  } catch (error) {
    if (error instanceof Unauthorized)
      return send({
        status: 401,
        headers: { 'content-type': 'application/json', 'www-authenticate': 'Bearer realm="diorama"' },
        body: error.message,
      })
    if (error instanceof McpError) return send(rpcError(asked, id, error))
    throw error
  }
}

/** The API's own refusal of a key, handed on as it is. */
class Unauthorized extends Error {
  override readonly name = 'Unauthorized'
}

const asRequest = (request: FastifyRequest): TwinRequest =>
  toTwinRequest({
    method: request.method,
    target: '/mcp',
    headers: request.headers,
    body: request.body instanceof Uint8Array ? request.body : undefined,
    baseUrl: '',
  })

const resultOf = async (
  edge: FastifyInstance,
  { version }: MountDeps,
  request: FastifyRequest,
  message: RpcRequest,
  stateless: boolean,
): Promise<Json> => {
  const serverInfo = { name: 'diorama', title: 'Diorama', version }
  const kept = stateless ? { ttlMs: 3_600_000, cacheScope: 'private' } : {}
  const whole = (result: Json): Json =>
    stateless ? { resultType: 'complete', ...result, _meta: { [metaKeys.serverInfo]: serverInfo } } : result
  switch (message.method) {
    case 'initialize': {
      if (stateless) break
      const { protocolVersion } = message.params
      const agreed = handshakeRevisions.find((known) => known === protocolVersion) ?? handshakeRevisions[0]
      return { protocolVersion: agreed, capabilities: { tools: {} }, serverInfo, instructions }
    }
    case 'ping':
      if (stateless) break
      return {}
    case 'server/discover':
      if (!stateless) break
      return whole({ ...kept, supportedVersions: revisions, capabilities: { tools: {} }, instructions })
    case 'tools/list':
      return whole({ ...kept, tools: serviceTools.map(describeTool) })
    case 'tools/call':
      return whole(await callTool(edge, request, message.params))
  }
  throw new McpError(codes.methodNotFound, 'Method not found', stateless ? { status: 404 } : {})
}

const callTool = async (
  edge: FastifyInstance,
  request: FastifyRequest,
  { name, arguments: args = {} }: Json,
): Promise<Json> => {
  const tool = serviceTools.find((one) => one.name === name)
  if (!tool) throw new McpError(codes.invalidParams, `Unknown tool: ${String(name).slice(0, 100)}`)
  if (!isRecord(args)) throw new McpError(codes.invalidParams, 'params.arguments must be an object')
  const call = callOf(tool, args)
  if ('missing' in call) return failed(`Input validation error: ${call.missing}: Required`)
  const { authorization } = request.headers
  const reply = await edge.inject({
    method: call.method,
    url: call.url,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    remoteAddress: request.ip,
    ...(call.body === undefined ? {} : { payload: JSON.stringify(call.body) }),
  })
  if (reply.statusCode === 401) throw new Unauthorized(reply.payload)
  return reply.statusCode < 400 ? { content: [{ type: 'text', text: reply.payload }] } : failed(reply.payload)
}

const failed = (text: string): Json => ({ content: [{ type: 'text', text }], isError: true })
