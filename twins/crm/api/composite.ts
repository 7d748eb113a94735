import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply, Route } from '@diorama/twin-kit/wires/rest'
import { noResource } from '../records/refusals.ts'
import { type ApiCall, type Body, bodyOf, isTrue } from './context.ts'
import { treeRoute } from './tree.ts'

const maxParts = 25
/** Of the parts of a composite request, so many may be queries or collections. */
const maxHeavyParts = 5
const maxGraphs = 75
const maxNodes = 500

interface Part {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly referenceId: string
  readonly headers: Readonly<Record<string, string>>
}

interface Result {
  readonly body: unknown
  readonly httpHeaders: Body
  readonly httpStatusCode: number
  readonly referenceId: string
}

class RolledBack extends Error {}

const partsOf = (list: unknown, max: number): Part[] => {
  if (!Array.isArray(list))
    throw new VendorError('JSON_PARSER_ERROR', 'A list is required under: compositeRequest')
  if (list.length > max)
    throw new VendorError('LIMIT_EXCEEDED', `The composite request has more than ${max} subrequests`)
  const seen = new Set<string>()
  return list.map((item: unknown) => {
    const part = (typeof item === 'object' && item !== null ? item : {}) as Body
    const referenceId = String(part.referenceId ?? '')
    if (!/^[A-Za-z0-9_]+$/.test(referenceId) || seen.has(referenceId))
      throw new VendorError(
        'INVALID_INPUT',
        `Provided referenceId ('${referenceId}') must be unique, of letters, digits and underscores`,
      )
    seen.add(referenceId)
    const headers = (
      typeof part.httpHeaders === 'object' && part.httpHeaders !== null ? part.httpHeaders : {}
    ) as Body
    return {
      method: String(part.method ?? 'GET').toUpperCase(),
      url: String(part.url ?? ''),
      body: part.body,
      referenceId,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
      ),
    }
  })
}

const halted = (referenceId: string): Result => ({
  body: [
    {
      errorCode: 'PROCESSING_HALTED',
      message: 'The transaction was rolled back since another operation in the same transaction failed.',
    },
  ],
  httpHeaders: {},
  httpStatusCode: 400,
  referenceId,
})

/** Runs the parts in order; with allOrNone the first failure takes all of them back. */
const runParts = (
  api: ApiCall,
  parts: readonly Part[],
  allOrNone: boolean,
): { results: Result[]; ok: boolean } => {
  const results = new Map<string, Result>()
  const run = (): void => {
    for (const part of parts) {
      const result = runPart(api, part, results)
      results.set(part.referenceId, result)
      if (allOrNone && result.httpStatusCode >= 400) throw new RolledBack(part.referenceId)
    }
  }
  try {
    if (allOrNone) api.session.atomic(run)
    else run()
    const list = [...results.values()]
    return { results: list, ok: list.every(({ httpStatusCode }) => httpStatusCode < 400) }
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    const list = parts.map(({ referenceId }) =>
      referenceId === error.message ? (results.get(referenceId) ?? halted(referenceId)) : halted(referenceId),
    )
    return { results: list, ok: false }
  }
}

const runPart = (api: ApiCall, part: Part, results: ReadonlyMap<string, Result>): Result => {
  try {
    const url = resolve(part.url, results)
    const body = resolve(part.body, results)
    const {
      status,
      body: answer,
      headers = {},
    } = api.inner({
      method: part.method,
      url: String(url),
      body,
      headers: part.headers,
    })
    const location = headers.location
    return {
      body: answer ?? null,
      httpHeaders: location === undefined ? {} : { Location: location },
      httpStatusCode: status,
      referenceId: part.referenceId,
    }
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return {
      body: [{ errorCode: error.code, message: error.message }],
      httpHeaders: {},
      httpStatusCode: error.status,
      referenceId: part.referenceId,
    }
  }
}

/** `@{r1.id}` references the reply to an earlier part. */
const resolve = (value: unknown, results: ReadonlyMap<string, Result>): unknown => {
  if (typeof value === 'string')
    return value.replace(
      /@\{([A-Za-z0-9_]+)((?:\.[A-Za-z0-9_]+|\[\d+\])*)\}/g,
      (_all, reference: string, path: string) => String(lookUp(results, reference, path)),
    )
  if (Array.isArray(value)) return value.map((one) => resolve(one, results))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one, results)]))
}

const lookUp = (results: ReadonlyMap<string, Result>, reference: string, path: string): unknown => {
  let value: unknown = results.get(reference)?.body
  for (const step of path.match(/[A-Za-z0-9_]+/g) ?? []) {
    const held = typeof value === 'object' && value !== null ? (value as Body) : {}
    const key = Object.keys(held).find((name) => name.toLowerCase() === step.toLowerCase())
    value = key === undefined ? undefined : held[key]
  }
  if (value === undefined || value === null)
    throw new VendorError(
      'PROCESSING_HALTED',
      `Invalid reference specified. No value for ${reference}${path} found in ${reference}`,
    )
  return value
}

const batch = (api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const requests = Array.isArray(body.batchRequests) ? (body.batchRequests as Body[]) : []
  if (requests.length > maxParts)
    throw new VendorError('LIMIT_EXCEEDED', `The batch request has more than ${maxParts} subrequests`)
  let stopped = false
  const results = requests.map((one) => {
    if (stopped)
      return {
        statusCode: 412,
        result: [{ errorCode: 'BATCH_PROCESSING_HALTED', message: 'Batch processing halted per request' }],
      }
    const reply = api.inner({
      method: String(one.method ?? 'GET').toUpperCase(),
      url: String(one.url ?? ''),
      body: one.richInput,
    })
    if (reply.status >= 400 && isTrue(body.haltOnError)) stopped = true
    return { statusCode: reply.status, result: reply.body ?? null }
  })
  return { status: 200, body: { hasErrors: results.some(({ statusCode }) => statusCode >= 400), results } }
}

const graphs = (api: ApiCall): RestReply => {
  const body = bodyOf(api)
  const list = Array.isArray(body.graphs) ? (body.graphs as Body[]) : []
  if (list.length > maxGraphs) throw new VendorError('LIMIT_EXCEEDED', `More than ${maxGraphs} graphs`)
  return {
    status: 200,
    body: {
      graphs: list.map((graph) => {
        const parts = partsOf(graph.compositeRequest, maxNodes)
        const { results, ok } = runParts(api, parts, true)
        return {
          graphId: String(graph.graphId ?? ''),
          graphResponse: { compositeResponse: results },
          isSuccessful: ok,
        }
      }),
    },
  }
}

export const compositeRoutes: readonly Route<ApiCall>[] = [
  {
    method: 'POST',
    path: '/composite',
    handle: (_params, api) => {
      const body = bodyOf(api)
      const parts = partsOf(body.compositeRequest, maxParts)
      if (
        parts.filter(({ url }) => /\/(query|queryAll|composite\/sobjects)(\/|\?|$)/i.test(url)).length >
        maxHeavyParts
      )
        throw new VendorError(
          'LIMIT_EXCEEDED',
          `The composite request has more than ${maxHeavyParts} queries and collections`,
        )
      const { results } = runParts(api, parts, isTrue(body.allOrNone))
      return { status: 200, body: { compositeResponse: results } }
    },
  },
  {
    method: 'GET',
    path: '/composite',
    handle: (_params, api) => ({
      status: 200,
      body: Object.fromEntries(
        ['batch', 'graph', 'sobjects', 'tree'].map((name) => [
          name,
          `/services/data/v${api.version}/composite/${name}`,
        ]),
      ),
    }),
  },
  { method: 'POST', path: '/composite/batch', handle: (_params, api) => batch(api) },
  { method: 'POST', path: '/composite/graph', handle: (_params, api) => graphs(api) },
  {
    method: 'POST',
    path: '/composite/tree/:object',
    handle: (params, api) => {
      const object = api.schema.object(params('object'))
      if (!object) throw noResource(params('object'))
      return treeRoute(api, object)
    },
  },
]
