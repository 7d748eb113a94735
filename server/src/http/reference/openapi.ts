import { allRoutes, ErrorBody, errorCodes, type RouteName, type RouteSpec } from '@diorama/contract'
import { idempotencyKeyForm } from '@diorama/contract/idempotency-key'
import { z } from 'zod'
import { codeSamples } from './examples/code-samples.ts'
import { requestExamples } from './examples/requests.ts'
import { operationDescription, tagDescriptions } from './openapi-words.ts'

type Json = Record<string, unknown>

/** OpenAPI 3.1, made from the same table and schemas that the edge uses. */
export const openApi = (baseUrl: string, version: string): Json => {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(allRoutes as Record<string, RouteSpec>)) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = operationOf(name, route, schemas, baseUrl)
    paths[route.path] = path
  }
  schemaOf(ErrorBody, 'output', schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Diorama',
      version,
      description:
        'Simulated companies for evaluating AI agents. Send `Authorization: Bearer dk_…`. Fields are read in snake_case ' +
        'and camelCase. Every refusal has the shape of `Error`, with a code and the id of the request.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(Object.values(allRoutes).map(({ tag }) => tag))].map((name) => ({
      name,
      description: tagDescriptions[name] ?? `Operations of ${name}.`,
    })),
    paths,
    components: {
      schemas,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
    },
  }
}

const operationOf = (name: string, route: RouteSpec, schemas: Json, baseUrl: string): Json => ({
  operationId: name,
  tags: [route.tag],
  summary: route.summary.replace(/\.$/, ''),
  description: operationDescription(route),
  ...(route.scope === 'none' ? { security: [] } : { security: [{ key: [] }] }),
  'x-scope': route.scope,
  parameters: [
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
    ...headersOf(route),
  ],
  ...(requestOf(name, route, schemas) ?? {}),
  responses: responsesOf(route, schemas),
  'x-codeSamples': codeSamples(name, baseUrl),
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
          description: 'Makes a retry of this request safe for 24 hours.',
          schema: { type: 'string', pattern: idempotencyKeyForm.source },
          example: 'launch-2026-07-01',
        },
      ]
    : []

const requestOf = (name: string, route: RouteSpec, schemas: Json): Json | undefined => {
  const example = requestExamples[name as RouteName]?.body
  const json = route.body
    ? { 'application/json': { schema: schemaOf(route.body, 'input', schemas), ...(example && { example }) } }
    : {}
  const bytes = Object.fromEntries((route.takes ?? []).map((type) => [type, { schema: bytesOf(type) }]))
  const content = { ...bytes, ...json }
  return Object.keys(content).length > 0
    ? { requestBody: { required: route.bodyOptional !== true, content } }
    : undefined
}

const responsesOf = (route: RouteSpec, schemas: Json): Json => {
  const content = contentOf(route, schemas)
  const responses: Json = { [route.status ?? 200]: { description: 'Success.', ...content } }
  // A request that is sent again under its idempotency key finds what the first one made.
  const other = route.otherStatus ?? (route.creates && route.status === 201 ? 200 : undefined)
  if (other) responses[other] = { description: 'It was there already.', ...content }
  for (const [status, codes] of Object.entries(errorsOf(route)))
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code].means}`).join(' '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
        },
      },
    }
  return responses
}

const contentOf = ({ reply, repliesAs = [], gives }: RouteSpec, schemas: Json): Json => {
  const others = Object.fromEntries(repliesAs.map((type) => [type, { schema: bytesOf(type) }]))
  if (reply)
    return { content: { 'application/json': { schema: schemaOf(reply, 'output', schemas) }, ...others } }
  if (gives === undefined) return {}
  return { content: { [gives]: { schema: isJson(gives) ? {} : { type: 'string' } } } }
}

const isJson = (type: string): boolean => /^application\/json\b/.test(type)

/** A document in another project's format: of JSON, any; its shape is not ours to state. */
const bytesOf = (type: string): Json => (isJson(type) ? {} : { type: 'string', format: 'binary' })

const errorExample = (code: keyof typeof errorCodes): Json => ({
  error: errorCodes[code].means,
  code,
  request_id: 'req_01k0xexample',
})

/** The errors that any route of this kind can give, and the route's own. */
const errorsOf = (route: RouteSpec): Record<string, (keyof typeof errorCodes)[]> => {
  const codes: (keyof typeof errorCodes)[] = ['internal', 'malformed', ...(route.errors ?? [])]
  if (route.scope !== 'none') codes.push('unauthorized', 'limit_exceeded', 'unavailable')
  if (route.params) codes.push('not_found')
  if (route.scope !== 'none' && route.scope !== 'any') codes.push('forbidden')
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
      .filter(([field, value]) => !isOurOwn(field, value, part))
      .map(([field, value]) => [
        field,
        field === '$ref' && typeof value === 'string'
          ? `#/components/schemas/${named(value.split('/').at(-1) ?? '', io)}`
          : renamed(value, io),
      ]),
  )
}

/**
 * Notes in our schemas that JSON Schema does not know: a schema's name, and other spellings of its fields. The bounds of
 * safe integers are left out too: they limit no reader, and examples are made from them.
 */
const isOurOwn = (field: string, value: unknown, part: object): boolean => {
  if (field === 'minimum' || field === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
  if (field === 'id') return typeof value === 'string' && 'type' in part
  if (field !== 'aliases' || typeof value !== 'object' || value === null) return false
  return Object.values(value).every((item) => typeof item === 'string')
}
