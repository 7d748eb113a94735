import type { ErrorDetail, RouteSpec } from '@diorama/contract'
import { fitFields, type UnknownField } from '@diorama/contract/fields'
import { z } from 'zod'
import { ApiError } from './api-error.ts'
import { unfit } from './parsing/body.ts'
import { fallback, fastReader } from './parsing/fast-reader.ts'

export interface ParsedBody {
  readonly value: unknown
  /** In the schema's own casing, before defaults were filled in. */
  readonly fitted: unknown
  readonly unknownFields: readonly UnknownField[]
}

/** Parses JSON bodies as their route says: either casing, every fault listed, no field lost in silence. */
export const bodyParser = (route: RouteSpec): ((sent: unknown) => ParsedBody) => {
  const { body } = route
  if (!body) return () => ({ value: undefined, fitted: undefined, unknownFields: [] })
  const read = fastReader(body)
  return (sent) => {
    const value = read(sent)
    return value === fallback ? parseBody(route, body, sent) : { value, fitted: sent, unknownFields: [] }
  }
}

const parseBody = (route: RouteSpec, body: z.ZodType, sent: unknown): ParsedBody => {
  const { value, unknown } = fitFields(body, sent)
  const loose = route.looseBelow
  const unknownFields =
    loose === undefined ? [] : unknown.filter(({ pointer }) => pointer.startsWith(`${loose}/`))
  const refused = unknown.filter((field) => !unknownFields.includes(field)).map(unknownDetail)
  const parsed = body.safeParse(value)
  const code = route.shapeError ?? 'malformed'
  if (!parsed.success) {
    const details = [...refused, ...shapeDetails(parsed.error, '')]
    throw new ApiError(code, summary('The body does not fit', details), { details })
  }
  if (refused.length > 0)
    throw new ApiError('malformed', summary('The body does not fit', refused), { details: refused })
  return { value: parsed.data, fitted: value, unknownFields }
}

/** Parses query or path parameters; a repeated one, or one that is not known, is refused by name. */
export const parseParameters = (
  schema: z.ZodObject | undefined,
  sent: unknown,
  where: 'query' | 'path',
): unknown => {
  const given = typeof sent === 'object' && sent !== null ? sent : {}
  if (schema === undefined && isEmpty(given)) return {}
  for (const [name, text] of Object.entries(given)) {
    const pointer = `/${where}/${name}`
    if (Array.isArray(text)) throw refuseParameter(pointer, 'is given more than once')
    const fault = unfit(String(text)) ?? unfit(name)
    if (fault)
      throw where === 'path'
        ? new ApiError('not_found', 'There is no such path.')
        : refuseParameter(pointer, fault)
  }
  const { value, unknown } = fitFields(schema ?? noParameters, given)
  const refused = unknown.map((field) => ({ ...unknownDetail(field), pointer: `/${where}${field.pointer}` }))
  const parsed = (schema ?? noParameters).safeParse(value)
  const details = [...refused, ...(parsed.success ? [] : shapeDetails(parsed.error, `/${where}`))]
  if (parsed.success && details.length === 0) return parsed.data
  throw new ApiError('malformed', summary(`The ${where} does not fit`, details), { details })
}

const noParameters = z.object({})

const isEmpty = (given: object): boolean => {
  for (const _ in given) return false
  return true
}

const refuseParameter = (pointer: string, message: string) =>
  new ApiError('malformed', `${pointer} ${message}.`, { details: [{ pointer, message }] })

const unknownDetail = ({ pointer, nearest }: UnknownField): ErrorDetail => ({
  pointer,
  message: nearest ? `is not a known field; did you mean ${nearest}?` : 'is not a known field',
})

export const shapeDetails = (error: z.ZodError, prefix: string): ErrorDetail[] =>
  error.issues.slice(0, 100).flatMap((issue) => issueDetails(issue, prefix))

const issueDetails = (issue: z.core.$ZodIssue, prefix: string): ErrorDetail[] => {
  const pointer =
    prefix + issue.path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  if (issue.code === 'invalid_union') {
    const meant = meantBranch(issue.errors)
    if (meant) return meant.flatMap((inner) => issueDetails(inner, pointer))
  }
  return [{ pointer, message: issue.message }]
}

/** Of the forms that a value can have, the one whose faults lie inside it and not in its outer form. */
const meantBranch = (branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined =>
  branches.find((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0))

export const summary = (what: string, details: readonly ErrorDetail[]): string => {
  const [first] = details
  if (!first) return `${what}.`
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  return `${what}: ${first.pointer || 'the body'} ${first.message}${more}.`
}
