import { type McpFace, mcpTool, onlyEndpoint } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import { authenticate } from '../actor.ts'
import type { StubTables } from '../tables.ts'
import { wire } from '../wire.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The services for agents that come by the Model Context Protocol. */
export const face: McpFace<StubTables> = {
  serverInfo: { name: 'services', version: '1.0.0' },
  hosts: ['mcp.services.internal'],
  endpoint: onlyEndpoint,
  authenticate,
  tools: [
    mcpTool({
      name: 'list_service_operations',
      description: 'The services of the company that have an HTTP API, and the operations of each.',
      effect: 'read',
      input: z.strictObject({}),
      run: ({ session: { views } }) => ({
        services: [...new Set([...views.place.all()].map(({ service }) => service))],
        operations: [...views.route.all()].map(({ id }) => id),
      }),
    }),
    mcpTool({
      name: 'call_service',
      description: 'Makes an HTTP request to a service of the company.',
      effect: 'write',
      input: z.strictObject({
        service: z.string().describe('The name of the service'),
        method: z.enum(methods),
        path: z.string().describe('Path and query, such as /customers?limit=5'),
        body: z.record(z.string(), z.unknown()).optional().describe('Sent as JSON'),
      }),
      run: ({ session, request }, { service, method, path, body }) => {
        const [target = '', query = ''] = path.split('?', 2)
        const { host: _, ...rest } = request
        const bytes = new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body))
        const reply = wire({ ...rest, method, path: `/${service}${target}`, query, body: bytes }, session)
        const text = typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body)
        return `HTTP ${reply.status}\n${text}`
      },
    }),
  ],
  notEmulated: [],
  refusal: ({ code }) => code,
}
