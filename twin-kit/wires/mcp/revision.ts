import type { TwinRequest } from '../../kernel/twin.ts'
import { isRecord } from '../../records.ts'
import {
  codes,
  handshakeRevisions,
  McpError,
  metaKeys,
  type RpcRequest,
  revisions,
  statelessRevision,
} from './messages.ts'

/**
 * Whether a request is of the stateless revision. Its envelope in `_meta` decides, and the headers that repeat parts of
 * the body must agree with it, so that a proxy which routes by header cannot be led astray.
 */
export const isStateless = (request: TwinRequest, { method, params }: RpcRequest): boolean => {
  const meta = isRecord(params._meta) ? params._meta : {}
  const claimed = meta[metaKeys.version]
  const header = request.headers['mcp-protocol-version']
  if (claimed === undefined) return requireHandshakeHeader(header)
  if (typeof claimed !== 'string' || !isRecord(meta[metaKeys.capabilities]))
    throw new McpError(
      codes.invalidParams,
      `params._meta must hold ${metaKeys.version} as a string and ${metaKeys.capabilities} as an object`,
      { status: 400 },
    )
  if (claimed !== statelessRevision) throw unsupported(claimed)
  requireHeader('MCP-Protocol-Version', header, claimed)
  requireHeader('Mcp-Method', request.headers['mcp-method'], method)
  if (method === 'tools/call')
    requireHeader('Mcp-Name', decoded(request.headers['mcp-name']), String(params.name))
  return true
}

/** A request without an envelope: of a revision with a handshake, by its header or, before 2025-06-18, without one. */
const requireHandshakeHeader = (header: string | undefined): false => {
  if (header === undefined || handshakeRevisions.some((known) => known === header)) return false
  if (header === statelessRevision)
    throw new McpError(codes.invalidParams, `params._meta lacks ${metaKeys.version}`, { status: 400 })
  throw unsupported(header)
}

const unsupported = (requested: string): McpError =>
  new McpError(codes.unsupportedVersion, `Unsupported protocol version: ${requested.slice(0, 40)}`, {
    status: 400,
    data: { supported: revisions, requested: requested.slice(0, 40) },
  })

const requireHeader = (name: string, sent: string | undefined, expected: string): void => {
  if (sent === expected) return
  const why = sent === undefined ? 'is missing' : 'differs from the body'
  throw new McpError(codes.headerMismatch, `Header mismatch: ${name} ${why}`, { status: 400 })
}

/** Names that do not fit into a header are sent in base64, marked as such. */
const decoded = (value: string | undefined): string | undefined => {
  const packed = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value ?? '')?.[1]
  return packed === undefined ? value : Buffer.from(packed, 'base64').toString('utf8')
}
