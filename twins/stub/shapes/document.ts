import { isRecord } from '@diorama/twin-kit/records'
import { decoded, type Json, listOf, objectOf, resolved, segmentsOf, textOf } from './json.ts'

/** Where a service is reached: a host, and the path below which its own paths begin. */
export interface Place {
  readonly host: string
  readonly base: string
}

export type Role = 'list' | 'create' | 'read' | 'replace' | 'patch' | 'delete' | 'example' | 'none'

/** One operation of a document, with all that answering it needs. */
export interface DocumentRoute {
  readonly method: string
  /** As the document has it, such as `/customers/{id}`. */
  readonly path: string
  readonly role: Role
  readonly status: number
  readonly example: unknown
  /** Whether a success has a body at all. */
  readonly hasBody: boolean
  readonly idField: string
  readonly isNumberId: boolean
  /** The field of a list that holds its items; null where the list is an array itself. */
  readonly wrap: string | null
  /** Fields that a new record must have. */
  readonly required: readonly string[]
  /** Fields by which a list can be filtered. */
  readonly filters: readonly string[]
  readonly notFound: unknown
  readonly invalidStatus: number
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const
const isParameter = (segment: string) => /^\{[^}]+\}$/.test(segment)

/** The places that a document names; a server that is no absolute address is left out. */
export const placesOf = (document: Json): Place[] =>
  listOf(document.servers).flatMap((server) => {
    const { url, variables } = objectOf(server)
    const text = (textOf(url) ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      String(objectOf(objectOf(variables)[name]).default ?? ''),
    )
    return placeOf(text)
  })

export const placeOf = (address: string): Place[] => {
  const { hostname, pathname } = URL.parse(address) ?? { hostname: '', pathname: '' }
  return /^[a-z0-9.-]+\.[a-z]{2,}$/i.test(hostname)
    ? [{ host: hostname.toLowerCase(), base: pathname.replace(/\/+$/, '') }]
    : []
}

/** Every operation of a document. */
export const routesOf = (document: Json): DocumentRoute[] => {
  const paths = Object.entries(objectOf(document.paths))
  const items = new Set(
    paths.flatMap(([path]) => {
      const segments = segmentsOf(path)
      return isParameter(segments.at(-1) ?? '') ? [`/${segments.slice(0, -1).join('/')}`] : []
    }),
  )
  return paths.flatMap(([path, found]) => {
    const item = resolved(document, found) ?? {}
    return methods.flatMap((method) => {
      const operation = resolved(document, item[method])
      return operation ? [routeOf(document, { path, method, operation, items })] : []
    })
  })
}

interface Found {
  readonly path: string
  readonly method: (typeof methods)[number]
  readonly operation: Json
  /** Collections that have items. */
  readonly items: ReadonlySet<string>
}

const routeOf = (document: Json, { path, method, operation, items }: Found): DocumentRoute => {
  const segments = segmentsOf(path)
  const last = segments.at(-1) ?? ''
  const success = successOf(document, operation)
  const { schema, example } = contentOf(document, success.response)
  const list = listShape(document, schema)
  const role = roleOf(method, {
    isItem: isParameter(last),
    isCollection: items.has(`/${segments.join('/')}`),
    isList: list !== undefined,
    hasExample: example !== undefined || success.response.content === undefined,
  })
  const request = contentOf(document, resolved(document, operation.requestBody) ?? {})
  const fields = propertiesOf(document, role === 'list' ? list?.item : schema)
  const parameter = isParameter(last) ? last.slice(1, -1) : 'id'
  const idField = fields[parameter] !== undefined && fields.id === undefined ? parameter : 'id'
  const responses = objectOf(operation.responses)
  return {
    method: method.toUpperCase(),
    path,
    role,
    status: success.status,
    example: example ?? null,
    hasBody: success.response.content !== undefined,
    idField,
    isNumberId: ['integer', 'number'].some((type) => hasType(resolved(document, fields[idField]), type)),
    wrap: list?.wrap ?? null,
    required: requiredOf(document, request.schema),
    filters: Object.keys(fields),
    notFound: contentOf(document, resolved(document, responses['404']) ?? {}).example ?? null,
    invalidStatus: responses['422'] === undefined ? 400 : 422,
  }
}

const roleOf = (
  method: Found['method'],
  is: { isItem: boolean; isCollection: boolean; isList: boolean; hasExample: boolean },
): Role => {
  const otherwise = is.hasExample ? 'example' : 'none'
  if (is.isItem) {
    const roles = { get: 'read', put: 'replace', patch: 'patch', delete: 'delete' } as const
    return method in roles ? roles[method as keyof typeof roles] : otherwise
  }
  if (is.isCollection && method === 'get') return is.isList ? 'list' : otherwise
  return is.isCollection && method === 'post' ? 'create' : otherwise
}

const successOf = (document: Json, operation: Json): { status: number; response: Json } => {
  const responses = Object.entries(objectOf(operation.responses))
  const named = (form: RegExp) => responses.find(([code]) => form.test(code))
  const [status, response] = named(/^2\d\d$/) ?? named(/^2XX$/i) ?? named(/^default$/) ?? ['200', {}]
  return { status: Number(status) || 200, response: resolved(document, response) ?? {} }
}

const contentOf = (document: Json, message: Json): { schema: Json | undefined; example: unknown } => {
  const types = Object.entries(objectOf(message.content))
  const [, media] = types.find(([type]) => /[/+]json\b/.test(type)) ?? []
  const { schema: found, example, examples } = objectOf(media)
  const schema = resolved(document, found)
  const [first] = Object.values(objectOf(examples))
  const ofSchema = schema?.example ?? listOf(schema?.examples)[0]
  return { schema, example: example ?? resolved(document, first)?.value ?? ofSchema }
}

/** A type is a word, and since 3.1 also a list of words, such as one that allows null. */
const hasType = (schema: Json | undefined, type: string): boolean =>
  schema?.type === type || listOf(schema?.type).includes(type)

/** Fields that a schema, or one that it is put together from, requires. */
const requiredOf = (document: Json, schema: Json | undefined, depth = 0): string[] => {
  if (!schema || depth > 5) return []
  const parts = listOf(schema.allOf).flatMap((part) =>
    requiredOf(document, resolved(document, part), depth + 1),
  )
  return [...new Set([...parts, ...listOf(schema.required).map(String)])]
}

/** Fields of a schema, with those of the schemas it is put together from. */
const propertiesOf = (document: Json, schema: Json | undefined, depth = 0): Json => {
  if (!schema || depth > 5) return {}
  const parts = listOf(schema.allOf).map((part) =>
    propertiesOf(document, resolved(document, part), depth + 1),
  )
  return Object.assign({}, ...parts, objectOf(schema.properties))
}

/** Where a reply holds its items: it is an array, or has one field that is. */
const listShape = (
  document: Json,
  schema: Json | undefined,
): { wrap: string | null; item: Json | undefined } | undefined => {
  if (!schema) return undefined
  if (hasType(schema, 'array')) return { wrap: null, item: resolved(document, schema.items) }
  const arrays = Object.entries(propertiesOf(document, schema)).flatMap(([name, property]) => {
    const found = resolved(document, property)
    return hasType(found, 'array') ? [{ wrap: name, item: resolved(document, found?.items) }] : []
  })
  return arrays.length === 1 ? arrays[0] : undefined
}

/** Whether a path of a blueprint's record is a collection of the document, its parameters filled in. */
export const collectionAt = (routes: readonly DocumentRoute[], path: string): DocumentRoute | undefined => {
  const segments = segmentsOf(path)
  return routes.find((route) => {
    if (route.role !== 'list' && route.role !== 'create') return false
    return fits(segmentsOf(route.path), segments)
  })
}

export const fits = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every(
    (part, n) => isParameter(part) || part === segments[n] || decoded(part) === decoded(segments[n] ?? ''),
  )

export const isDocument = (document: Json): boolean =>
  /^3\.\d/.test(String(document.openapi)) && isRecord(document.paths)
