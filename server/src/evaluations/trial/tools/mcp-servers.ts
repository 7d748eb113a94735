import type { GatewayReply, GatewayRequest } from '@diorama/sandbox/gateway/options'
import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { ClientSetting } from '@diorama/twin-kit/kernel/twin'
import type { TwinRuntime } from '../../../twins/open.ts'
import type { TwinRow } from '../../../twins/store.ts'
import type { Crowd } from '../decoys/crowd.ts'

/** A server of the Model Context Protocol in a world. */
export interface McpServer {
  readonly service: string
  readonly url: string
  readonly token: string
}

/** Posts to such a server; recorded as any request is. */
export type PostToServer = (
  server: McpServer,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<GatewayReply>

/** A twin, and how clients find it. */
export interface Setting {
  readonly row: TwinRow
  readonly setting: ClientSetting
}

export const settingOf = async (runtime: TwinRuntime, row: TwinRow, slug: string): Promise<ClientSetting> => {
  const seed = await runtime.seeds.load(row.seed_sha256)
  return runtime.registry.require(row.service).twin.clients({
    slug,
    token: row.principals[0]?.token ?? '',
    principals: row.principals,
    views: () => new Instance({ seed, principals: [] }).tables,
  })
}

/** Where there are decoys, no place in the list says which of the servers are the world's. */
export const serversOf = (settings: readonly Setting[], { servers }: Pick<Crowd, 'servers'>): McpServer[] => {
  const faces = settings.flatMap(({ row: { service, principals }, setting: { mcpUrl } }) =>
    mcpUrl === undefined ? [] : [{ service, url: mcpUrl, token: principals[0]?.token ?? '' }],
  )
  if (servers.length === 0) return faces
  return [...faces, ...servers].sort((a, b) => (a.service < b.service ? -1 : 1))
}

export const isToolCall = ({ headers }: Pick<GatewayRequest, 'headers'>): boolean =>
  headers['mcp-method'] === 'tools/call'

/** Posts to a face for an agent that the service itself drives. */
export const poster =
  (crowd: Crowd, toTwin: (request: GatewayRequest) => Promise<GatewayReply>): PostToServer =>
  async ({ service, url, token }, headers, body) => {
    const request = {
      host: new URL(url).hostname,
      service,
      method: 'POST',
      path: new URL(url).pathname,
      headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: Buffer.from(body),
    }
    return crowd.hosts.includes(request.host) ? crowd.answer(request) : toTwin(request)
  }
