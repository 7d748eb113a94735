import { z } from 'zod'
import type { ModelTool } from '../../../models/model.ts'
import { AgentFailed } from '../agents/agent-run.ts'
import type { McpServer, PostToServer } from './mcp-servers.ts'

const maxTools = 400
const revision = '2026-07-28'

/** What tools are found in and called through. */
export interface ToolWorld {
  readonly mcpServers: readonly McpServer[]
  readonly post: PostToServer
}

export interface WorldTool extends ModelTool {
  readonly server: McpServer
  /** What the server calls it. */
  readonly tool: string
}

const Result = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
  nextCursor: z.unknown().optional(),
})
/** What a server answers a call of a tool with. */
export type ToolAnswer = Pick<z.infer<typeof Result>, 'content' | 'structuredContent' | 'isError'>

const Reply = z.union([
  z
    .object({ error: z.object({ message: z.string() }) })
    .transform(({ error }) => ({ refused: error.message })),
  z.object({ result: Result }),
])

/**
 * Every tool of every service. A name that two services have, or that is reserved, is distinguished by the service.
 * Fails with `AgentFailed` where a server refuses.
 */
export const listWorldTools = async (
  world: ToolWorld,
  reserved: readonly string[] = [],
): Promise<readonly WorldTool[]> => {
  const all: WorldTool[] = []
  for (const server of world.mcpServers) {
    let cursor: unknown
    do {
      const page = await ask(world, server, 'tools/list', cursor === undefined ? {} : { cursor })
      for (const { name, description = '', inputSchema } of page.tools ?? [])
        all.push({ server, tool: name, name, description, inputSchema })
      cursor = page.nextCursor
    } while (cursor !== undefined && all.length < maxTools)
  }
  const isShared = (name: string) =>
    reserved.includes(name) || all.filter((one) => one.tool === name).length > 1
  return all.map((one) => (isShared(one.tool) ? { ...one, name: `${one.server.service}_${one.tool}` } : one))
}

/** Calls a tool; fails with `AgentFailed`, in the server's words, where the call is refused as a whole. */
export const callWorldTool = (
  world: ToolWorld,
  { server, tool }: WorldTool,
  args: unknown,
): Promise<ToolAnswer> => ask(world, server, 'tools/call', { name: tool, arguments: args })

/** An answer as text: parts that are none are named by their type. */
export const textOf = ({ content = [] }: ToolAnswer): string =>
  content.map(({ type, text }) => text ?? `(${type})`).join('\n')

const ask = async (
  { post }: ToolWorld,
  server: McpServer,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<z.infer<typeof Result>> => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const reply = await post(
    server,
    {
      accept: 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  )
  if (reply.isDropped) throw new AgentFailed(`${server.service} closed the connection without an answer.`)
  const text = Buffer.from(reply.body).toString('utf8')
  const answer = readReply(text)
  if (!answer)
    throw new AgentFailed(`${server.service} answered with the status ${reply.status}: ${text.slice(0, 300)}`)
  if ('refused' in answer) throw new AgentFailed(`${server.service}: ${answer.refused}`)
  return answer.result
}

const readReply = (text: string): z.infer<typeof Reply> | undefined => {
  try {
    return Reply.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
