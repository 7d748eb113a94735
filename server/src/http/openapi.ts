import { allRoutes, ErrorBody, errorCodes, type RouteSpec } from '@diorama/contract'
import { z } from 'zod'

type Json = Record<string, unknown>

/** OpenAPI 3.1, made from the same table and schemas that the edge uses. */
export const openApi = (baseUrl: string, version: string): Json => {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(allRoutes as Record<string, RouteSpec>)) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = operationOf(name, route, schemas)
    paths[route.path] = path
  }
  schemas.Error = schemaOf(ErrorBody, 'output', schemas)
  return {
    openapi: '3.1.0',
    info: { title: 'Diorama', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: baseUrl }],
    tags: [...new Set(Object.values(allRoutes).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
    },
  }
}

const operationOf = (name: string, route: RouteSpec, schemas: Json): Json => ({
  operationId: name,
  tags: [route.tag],
  summary: route.summary,
  ...(route.scope === 'none' ? { security: [] } : { security: [{ key: [] }] }),
  'x-scope': route.scope,
  parameters: [
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
    ...headersOf(route),
  ],
  ...(requestOf(route, schemas) ?? {}),
  responses: responsesOf(route, schemas),
})

const parametersOf = (schema: z.ZodObject | undefined, where: 'path' | 'query', schemas: Json): Json[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const type = field as z.ZodType
    return {
      name,
      in: where,
      required: where === 'path' || !type.safeParse(undefined).success,
      schema: schemaOf(type, 'input', schemas),
    }
  })

const headersOf = (route: RouteSpec): Json[] =>
  route.creates
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
        },
      ]
    : []

const requestOf = (route: RouteSpec, schemas: Json): Json | undefined => {
  const json = route.body ? { 'application/json': { schema: schemaOf(route.body, 'input', schemas) } } : {}
  const bytes = Object.fromEntries(
    (route.takes ?? []).map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
  )
  const content = { ...bytes, ...json }
  return Object.keys(content).length > 0
    ? { requestBody: { required: route.bodyOptional !== true, content } }
    : undefined
}

const responsesOf = (route: RouteSpec, schemas: Json): Json => {
  const content = route.reply
    ? { content: { 'application/json': { schema: schemaOf(route.reply, 'output', schemas) } } }
    : route.gives
      ? { content: { [route.gives]: { schema: { type: 'string' } } } }
      : {}
  const responses: Json = { [route.status ?? 200]: { description: 'Success.', ...content } }
  if (route.otherStatus) responses[route.otherStatus] = { description: 'It was there already.', ...content }
  for (const [status, codes] of Object.entries(errorsOf(route)))
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code].means}`).join(' '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  return responses
}

/** The errors that any route of this kind can give, and the route's own. */
const errorsOf = (route: RouteSpec): Record<string, (keyof typeof errorCodes)[]> => {
  const codes: (keyof typeof errorCodes)[] = ['internal', ...(route.errors ?? [])]
  if (route.scope !== 'none') codes.push('unauthorized')
  if (route.scope !== 'none' && route.scope !== 'any') codes.push('forbidden')
  if (route.body || route.query) codes.push('malformed')
  if (route.body || route.takes) codes.push('too_large', 'unsupported_media_type')
  if (route.shapeError) codes.push(route.shapeError)
  if (route.creates) codes.push('idempotency_conflict', 'invalid_idempotency_key')
  return Object.groupBy(new Set(codes), (code) => String(errorCodes[code].status)) as Record<
    string,
    typeof codes
  >
}

/** A schema with its named parts moved beside the others. Input and output forms of one name are kept apart. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output', schemas: Json): unknown => {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Json & {
    $defs?: Json
  }
  const { $schema: _, $defs = {}, ...rest } = made
  for (const [name, part] of Object.entries($defs)) schemas[named(name, io)] = renamed(part, io)
  const id = typeof rest.id === 'string' ? rest.id : undefined
  if (id === undefined || rest.$ref !== undefined) return renamed(rest, io)
  schemas[named(id, io)] = renamed(rest, io)
  return { $ref: `#/components/schemas/${named(id, io)}` }
}

const named = (name: string, io: 'input' | 'output') => (io === 'input' ? `${name}Input` : name)

const renamed = (part: unknown, io: 'input' | 'output'): unknown => {
  if (Array.isArray(part)) return part.map((item) => renamed(item, io))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part)
      .filter(([field, value]) => !(field === 'id' && typeof value === 'string' && 'type' in part))
      .map(([field, value]) => [
        field,
        field === '$ref' && typeof value === 'string'
          ? `#/components/schemas/${named(value.split('/').at(-1) ?? '', io)}`
          : renamed(value, io),
      ]),
  )
}
