import type { z } from 'zod'
import { type Session, type TwinRequest, VendorError } from '../../kernel/twin.ts'
import { isRecord } from '../../records.ts'
import {
  codes,
  handshakeRevisions,
  type Json,
  McpError,
  metaKeys,
  type RpcRequest,
  revisions,
} from './messages.ts'
import { callOf, inputSchemaOf, McpAnswer, type McpContent, type McpFace, type McpTool } from './tool.ts'

export interface Served {
  readonly face: McpFace
  /** The tools of the endpoint that was called. */
  readonly tools: readonly McpTool[]
  readonly request: TwinRequest
  readonly session: Session
}

const capabilities = { tools: { listChanged: false } }
/** How long a client may keep a list of tools. A twin's tools never change while it runs. */
const listTtlMs = 3_600_000

/** Answers one request of either kind of revision. */
export const answerMethod = (served: Served, message: RpcRequest, stateless: boolean): Json => {
  served.session.label(message.method)
  const result = stateless ? statelessResult(served, message) : handshakeResult(served, message)
  if (!stateless) return result
  const meta = isRecord(result._meta) ? result._meta : {}
  return {
    resultType: 'complete',
    ...result,
    _meta: { ...meta, [metaKeys.serverInfo]: served.face.serverInfo },
  }
}

const statelessResult = (served: Served, message: RpcRequest): Json => {
  const kept = { ttlMs: listTtlMs, cacheScope: 'private' }
  switch (message.method) {
    case 'server/discover':
      return {
        ...kept,
        supportedVersions: revisions,
        capabilities: { tools: {} },
        ...(served.face.instructions === undefined ? {} : { instructions: served.face.instructions }),
      }
    case 'tools/list':
      return { ...kept, ...listTools(served, message.params) }
    case 'tools/call':
      return callTool(served, message.params)
    default:
      throw new McpError(codes.methodNotFound, 'Method not found', { status: 404 })
  }
}

const handshakeResult = (served: Served, message: RpcRequest): Json => {
  switch (message.method) {
    case 'initialize':
      return initialize(served, message.params)
    case 'ping':
      return {}
    case 'tools/list':
      return listTools(served, message.params)
    case 'tools/call':
      return callTool(served, message.params)
    default:
      throw new McpError(codes.methodNotFound, 'Method not found')
  }
}

/** A revision that is not known is answered with the newest one; whether that will do is the client's to say. */
const initialize = ({ face }: Served, { protocolVersion }: Json): Json => {
  if (typeof protocolVersion !== 'string')
    throw new McpError(codes.invalidParams, 'params.protocolVersion must be a string')
  return {
    protocolVersion: handshakeRevisions.find((known) => known === protocolVersion) ?? handshakeRevisions[0],
    capabilities,
    serverInfo: face.serverInfo,
    ...(face.instructions === undefined ? {} : { instructions: face.instructions }),
  }
}

const listTools = ({ face, tools: served }: Served, { cursor }: Json): Json => {
  const tools = served.filter(({ unlisted }) => !unlisted)
  const size = face.pageSize ?? tools.length
  const start = cursor === undefined ? 0 : tools.findIndex(({ name }) => cursor === cursorFor(name))
  if (start === -1) throw new McpError(codes.invalidParams, 'params.cursor is not a cursor of this list')
  const next = tools[start + size]
  return {
    tools: tools.slice(start, start + size).map(described),
    ...(next ? { nextCursor: cursorFor(next.name) } : {}),
  }
}

const cursorFor = (name: string): string => Buffer.from(`tool:${name}`).toString('base64url')

const described = (tool: McpTool): Json => ({
  name: tool.name,
  ...(tool.title === undefined ? {} : { title: tool.title }),
  description: tool.description,
  inputSchema: inputSchemaOf(tool),
  annotations: {
    ...(tool.title === undefined ? {} : { title: tool.title }),
    readOnlyHint: tool.effect === 'read',
    destructiveHint: tool.destructive === true,
    idempotentHint: tool.effect === 'read',
    openWorldHint: false,
  },
})

const callTool = ({ face, tools, session, request }: Served, { name, arguments: args = {} }: Json): Json => {
  if (typeof name !== 'string') throw new McpError(codes.invalidParams, 'params.name must be a string')
  if (!isRecord(args)) throw new McpError(codes.invalidParams, 'params.arguments must be an object')
  session.label(callOf(name.slice(0, 100)))
  const tool = tools.find((one) => one.name === name)
  if (!tool) {
    if (face.notEmulated.includes(name)) session.notEmulated(callOf(name))
    throw new McpError(codes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
  }
  const parsed = tool.input.safeParse(args)
  if (!parsed.success) return failed(`Input validation error: ${issuesOf(parsed.error)}`)
  try {
    return answered(session.atomic(() => tool.run({ session, request }, parsed.data)))
  } catch (error) {
    if (error instanceof VendorError) return failed(face.refusal(error))
    throw error
  } finally {
    // Operations behind the tool may have set their own names.
    session.label(callOf(name))
  }
}

const issuesOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 10)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')

const answered = (value: unknown): Json =>
  value instanceof McpAnswer
    ? { content: value.content }
    : { content: textOf(typeof value === 'string' ? value : JSON.stringify(value ?? null)) }

const failed = (text: string): Json => ({ content: textOf(text), isError: true })

const textOf = (text: string): McpContent[] => [{ type: 'text', text }]
