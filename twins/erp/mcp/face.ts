import { VendorError } from '@diorama/twin-kit/kernel/twin'
import {
  type McpContext,
  type McpFace,
  type McpTool,
  mcpTool,
  onlyEndpoint,
} from '@diorama/twin-kit/wires/mcp/tool'
import type { EntitySet } from '@diorama/twin-kit/wires/odata/model'
import { z } from 'zod'
import { actor, credentialOf, principalOf } from '../actor.ts'
import type { Service } from '../catalogue/catalogue.ts'
import { businessServices } from '../catalogue/services.ts'
import type { ErpTables } from '../tables.ts'
import { wire } from '../wire.ts'

type Context = McpContext<ErpTables>

const text = z.string()
const serviceId = text.describe('Id of the service, such as API_SALES_ORDER_SRV')
const entityName = text.describe('Entity set, such as A_SalesOrder')

const serviceOf = (id: string): Service => {
  const found = businessServices.find(({ name }) => name.toLowerCase() === id.trim().toLowerCase())
  if (!found) throw new VendorError('not_found', `Service ${id} was not found. Use search-sap-services.`)
  return found
}

const setOf = (service: Service, name: string): EntitySet => {
  const found =
    service.sets.get(name) ??
    [...service.sets.values()].find(
      (set) => set.type.name.toLowerCase() === name.toLowerCase() || set.name === `A_${name}`,
    )
  if (!found)
    throw new VendorError(
      'not_found',
      `Entity ${name} was not found in ${service.name}. Use discover-service-entities.`,
    )
  return found
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Calls the native service as the caller. */
const call = ({ request, session }: Context, sent: Sent) => {
  const reply = wire(
    {
      ...request,
      method: sent.method,
      path: `/sap/opu/odata/sap/${sent.path}`,
      query: sent.query ?? '',
      headers: {
        authorization: request.headers.authorization ?? '',
        accept: 'application/json',
        ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      body: sent.body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(sent.body)),
    },
    session,
  )
  const written = Buffer.from(reply.body).toString('utf8')
  if (reply.status < 300)
    return { headers: reply.headers, body: written === '' ? undefined : JSON.parse(written) }
  throw new VendorError('refused', `HTTP ${reply.status}: ${messageOf(written)}`, { status: reply.status })
}

const messageOf = (written: string): string => {
  try {
    const { error } = JSON.parse(written)
    return `${error.code}: ${error.message.value ?? error.message}`
  } catch {
    return written.slice(0, 500)
  }
}

/** The token that a write must carry, and the session that it belongs to. */
const writing = (context: Context, service: Service): Record<string, string> => {
  const { headers } = call(context, {
    method: 'GET',
    path: `${service.name}/`,
    headers: { 'x-csrf-token': 'Fetch' },
  })
  const cookies = headers['set-cookie'] ?? []
  return {
    'x-csrf-token': String(headers['x-csrf-token'] ?? ''),
    cookie: (typeof cookies === 'string' ? [cookies] : cookies)
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  }
}

/** The key of an entity as its address has it: `('1')`, or `(A='1',B='2')`. */
const keyOf = (set: EntitySet, given: Readonly<Record<string, unknown>>): string => {
  const { keys, byName } = set.type
  const lacking = keys.filter((key) => given[key] === undefined || given[key] === null)
  if (lacking.length > 0)
    throw new VendorError('invalid', `parameters lacks the key ${lacking.join(', ')} of ${set.name}.`)
  const literal = (key: string): string => {
    const quoted = `'${String(given[key]).replaceAll("'", "''")}'`
    const type = byName.get(key)?.type
    const prefix = type === 'DateTime' ? 'datetime' : type === 'Guid' ? 'guid' : type === 'Time' ? 'time' : ''
    return encodeURIComponent(`${prefix}${quoted}`)
  }
  const [only = ''] = keys
  return keys.length === 1
    ? `(${literal(only)})`
    : `(${keys.map((key) => `${key}=${literal(key)}`).join(',')})`
}

const Query = z.strictObject({
  $filter: text.optional(),
  $select: text.optional(),
  $expand: text.optional(),
  $orderby: text.optional(),
  $top: z.int().min(0).optional(),
  $skip: z.int().min(0).optional(),
  $inlinecount: text.optional(),
})

const queryOf = (options: z.output<typeof Query> | undefined): string =>
  [
    '$format=json',
    ...Object.entries(options ?? {}).flatMap(([name, given]) =>
      given === undefined ? [] : [`${name}=${encodeURIComponent(String(given))}`],
    ),
  ].join('&')

const Execute = z.strictObject({
  serviceId,
  entityName,
  operation: z.enum(['read', 'read-single', 'create', 'update', 'delete']),
  parameters: z.record(text, z.unknown()).describe('Key fields, and the values to write').optional(),
  queryOptions: Query.optional(),
})

const execute = (context: Context, args: z.output<typeof Execute>): unknown => {
  const service = serviceOf(args.serviceId)
  const set = setOf(service, args.entityName)
  const { parameters = {} } = args
  const whole = `${service.name}/${set.name}`
  const query = queryOf(args.queryOptions)
  switch (args.operation) {
    case 'read':
      return call(context, { method: 'GET', path: whole, query }).body.d
    case 'read-single':
      return call(context, { method: 'GET', path: `${whole}${keyOf(set, parameters)}`, query }).body.d
    case 'create':
      return call(context, {
        method: 'POST',
        path: whole,
        headers: writing(context, service),
        body: parameters,
      }).body.d
  }
  const path = `${whole}${keyOf(set, parameters)}`
  const headers = { ...writing(context, service), 'if-match': '*' }
  if (args.operation === 'delete') {
    call(context, { method: 'DELETE', path, headers })
    return { success: true, message: `${set.name}${keyOf(set, parameters)} was deleted.` }
  }
  const body = Object.fromEntries(
    Object.entries(parameters).filter(([name]) => !set.type.keys.includes(name)),
  )
  call(context, { method: 'PATCH', path, headers, body })
  return { success: true, message: `${set.name}${keyOf(set, parameters)} was updated.` }
}

const propertyShape = ({
  name,
  type,
  nullable,
  maxLength,
  readOnly,
}: EntitySet['type']['properties'][number]) => ({
  name,
  type: `Edm.${type}`,
  nullable,
  ...(maxLength === undefined ? {} : { maxLength }),
  readOnly,
})

/**
 * No server of the vendor with fixed names is known for this data. These are the four tools that the community's
 * servers agree on. Those run wherever an administrator puts them, so that the twin serves them below its base.
 */
const tools: readonly McpTool<ErpTables>[] = [
  mcpTool({
    name: 'search-sap-services',
    description: 'Finds services of the system by words of their name or title.',
    effect: 'read',
    input: z.strictObject({
      query: text.optional(),
      category: text.optional(),
      limit: z.int().min(1).max(50).default(20),
    }),
    missing: 'categories are ignored',
    run: (_context, { query = '', limit }) => {
      const words = query.toLowerCase().split(/\s+/)
      const found = businessServices.filter(({ name, title }) => {
        const held = `${name} ${title}`.toLowerCase().replaceAll('_', ' ')
        return words.every((word) => held.includes(word))
      })
      return {
        totalFound: found.length,
        services: found.slice(0, limit).map(({ name, title, sets }) => ({
          id: name,
          title,
          url: `/sap/opu/odata/sap/${name}/`,
          odataVersion: 'v2',
          entityCount: sets.size,
        })),
      }
    },
  }),
  mcpTool({
    name: 'discover-service-entities',
    description: 'Lists the entities of a service and what can be done with them.',
    effect: 'read',
    input: z.strictObject({ serviceId, showCapabilities: z.boolean().default(true) }),
    run: (_context, { serviceId: id, showCapabilities }) => {
      const service = serviceOf(id)
      return {
        service: { id: service.name, title: service.title },
        entities: [...service.sets.values()].map((set) => ({
          name: set.name,
          keys: set.type.keys,
          propertyCount: set.type.properties.length,
          ...(showCapabilities
            ? {
                capabilities: {
                  readable: true,
                  creatable: set.creatable,
                  updatable: set.updatable,
                  deletable: set.deletable,
                },
              }
            : {}),
        })),
      }
    },
  }),
  mcpTool({
    name: 'get-entity-schema',
    description: 'Describes the properties, keys and navigations of an entity.',
    effect: 'read',
    input: z.strictObject({ serviceId, entityName }),
    run: (_context, args) => {
      const set = setOf(serviceOf(args.serviceId), args.entityName)
      return {
        entity: { name: set.name, type: set.type.name },
        keyProperties: set.type.keys,
        properties: set.type.properties.map(propertyShape),
        navigationProperties: [...set.type.navigations.values()].map(({ name, target, many }) => ({
          name,
          target,
          multiplicity: many ? '*' : '0..1',
        })),
      }
    },
  }),
  mcpTool({
    name: 'execute-entity-operation',
    description: 'Reads, creates, updates or deletes entities. Dates are written as /Date(milliseconds)/.',
    effect: 'write',
    destructive: true,
    input: Execute,
    missing: 'functions and services of OData version 4',
    run: execute,
  }),
]

export const face: McpFace<ErpTables> = {
  serverInfo: { name: 'sap-odata-mcp', version: '1.0.0' },
  instructions:
    'Find a service with search-sap-services, its entities with discover-service-entities and their fields with get-entity-schema; then call execute-entity-operation.',
  hosts: [],
  endpoint: onlyEndpoint,
  authenticate: (request, session) => {
    const principal = principalOf(session, credentialOf(request.headers))
    if (principal) session.authenticate(actor(principal.subject, session.views))
    return session.actor !== undefined
  },
  tools,
  notEmulated: [],
  refusal: ({ message }) => message,
}
