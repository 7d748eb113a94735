import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { type McpContext, type McpFace, type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import { actor, subjectOf } from '../actor.ts'
import { latestVersion } from '../shapes/describe.ts'
import type { CrmTables } from '../tables.ts'

type Context = McpContext<CrmTables>
export type NativeWire = (request: TwinRequest, session: Session<CrmTables>) => TwinReply
// biome-ignore lint/suspicious/noExplicitAny: what a resource answers has the shape of that resource.
type Answer = any

const text = z.string()
const objectName = text.describe('API name of the object, such as Account')
const recordId = text.describe('Id of the record')
const path = text.describe('Relationship names, joined by a slash or a dot')
const body = z.record(text, z.unknown()).describe('Field values by API name')
const maxPath = 5

/** Calls a resource of the native REST API as the caller. */
const caller =
  (native: NativeWire) =>
  ({ request, session }: Context, method: string, resource: string, sent?: unknown): Answer => {
    const [below = '', query = ''] = resource.split('?')
    const reply = native(
      {
        ...request,
        method,
        path: below.startsWith('/services/') ? below : `/services/data/v${latestVersion}.0${below}`,
        query,
        headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
        body: sent === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(sent)),
      },
      session,
    )
    const written = Buffer.from(reply.body).toString('utf8')
    const answer: Answer = written === '' ? undefined : JSON.parse(written)
    if (reply.status < 300) return answer
    const [first] = Array.isArray(answer) ? answer : [answer]
    throw new VendorError(String(first?.errorCode ?? 'UNKNOWN_EXCEPTION'), written, { status: reply.status })
  }

const at = (...segments: readonly string[]): string =>
  `/sobjects/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`

type Caller = ReturnType<typeof caller>

/** Follows a path of relationships from a record; every step but the last must lead to one record. */
const related = (
  call: Caller,
  context: Context,
  start: { object: string; id: string },
  way: string,
): Answer => {
  const steps = way.split(/[/.]/).filter((step) => step !== '')
  if (steps.length === 0 || steps.length > maxPath)
    throw new VendorError('INVALID_FIELD', `relationship-path takes 1 to ${maxPath} relationships.`)
  let from = start
  let found: Answer
  for (const [n, step] of steps.entries()) {
    found = call(context, 'GET', at(from.object, from.id, step))
    if (n === steps.length - 1) break
    from = oneOf(found, step)
  }
  return found
}

const oneOf = (found: Answer, step: string): { object: string; id: string } => {
  const record = Array.isArray(found?.records) && found.records.length === 1 ? found.records[0] : found
  const object = record?.attributes?.type
  if (typeof object !== 'string')
    throw new VendorError(
      'INVALID_FIELD',
      `The relationship ${step} leads to more than one record, or to none.`,
    )
  return { object, id: record.Id }
}

const readTools = (call: Caller): readonly McpTool<CrmTables>[] => [
  mcpTool({
    name: 'getObjectSchema',
    description: 'Describes an object with its fields, or lists the objects when no name is given.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ 'object-name': text.describe('One name, or several with commas').optional() }),
    run: (context, { 'object-name': names }) => {
      if (names === undefined || names === '')
        return call(context, 'GET', '/sobjects').sobjects.map(
          ({ name, label, keyPrefix, searchable }: Answer) => ({ name, label, keyPrefix, searchable }),
        )
      const described = names
        .split(',')
        .slice(0, 10)
        .map((name) => call(context, 'GET', at(name.trim(), 'describe')))
      return described.length === 1 ? described[0] : described
    },
  }),
  mcpTool({
    name: 'soqlQuery',
    description: 'Runs a SOQL query.',
    effect: 'read',
    input: z.strictObject({ query: text.describe('SOQL') }),
    run: (context, { query }) => call(context, 'GET', `/query?q=${encodeURIComponent(query)}`),
  }),
  mcpTool({
    name: 'find',
    description: 'Runs a SOSL search, for at most 2000 records.',
    effect: 'read',
    input: z.strictObject({ search: text.describe('SOSL') }),
    run: (context, { search }) => call(context, 'GET', `/search?q=${encodeURIComponent(search)}`),
  }),
  mcpTool({
    name: 'getUserInfo',
    description: 'Who you are in this organization.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({}),
    run: (context) => call(context, 'GET', '/services/oauth2/userinfo'),
  }),
  mcpTool({
    name: 'listRecentSobjectRecords',
    description: 'Lists records of an object that you looked at recently.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ 'sobject-name': objectName }),
    run: (context, args) => ({ recentItems: call(context, 'GET', at(args['sobject-name'])).recentItems }),
  }),
  mcpTool({
    name: 'getRelatedRecords',
    description: 'Reads the records that a relationship leads to.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ 'sobject-name': objectName, id: recordId, 'relationship-path': path }),
    run: (context, args) =>
      related(call, context, { object: args['sobject-name'], id: args.id }, args['relationship-path']),
  }),
]

const oneRecord = 'the path must lead to one record'

const writeTools = (call: Caller): readonly McpTool<CrmTables>[] => [
  mcpTool({
    name: 'createSobjectRecord',
    description: 'Creates a record.',
    effect: 'write',
    input: z.strictObject({ 'sobject-name': objectName, body }),
    run: (context, args) => call(context, 'POST', at(args['sobject-name']), args.body),
  }),
  mcpTool({
    name: 'updateSobjectRecord',
    description: 'Changes the given fields of a record.',
    effect: 'write',
    evidence: 'chosen',
    input: z.strictObject({ 'sobject-name': objectName, id: recordId, body }),
    run: (context, args) => {
      call(context, 'PATCH', at(args['sobject-name'], args.id), args.body)
      return { id: args.id, success: true, errors: [] }
    },
  }),
  mcpTool({
    name: 'updateRelatedRecord',
    description: 'Changes the given fields of the record that a relationship leads to.',
    effect: 'write',
    evidence: 'chosen',
    missing: oneRecord,
    input: z.strictObject({ 'sobject-name': objectName, id: recordId, 'relationship-path': path, body }),
    run: (context, args) => {
      const start = { object: args['sobject-name'], id: args.id }
      const way = args['relationship-path']
      const target = oneOf(related(call, context, start, way), way)
      call(context, 'PATCH', at(target.object, target.id), args.body)
      return { id: target.id, success: true, errors: [] }
    },
  }),
  mcpTool({
    name: 'deleteSobjectRecord',
    description: 'Deletes a record.',
    effect: 'write',
    destructive: true,
    evidence: 'chosen',
    input: z.strictObject({ 'sobject-name': objectName, id: recordId }),
    run: (context, args) => {
      call(context, 'DELETE', at(args['sobject-name'], args.id))
      return { id: args.id, success: true, errors: [] }
    },
  }),
  mcpTool({
    name: 'deleteRelatedRecord',
    description: 'Deletes the record that a relationship leads to.',
    effect: 'write',
    destructive: true,
    evidence: 'chosen',
    missing: oneRecord,
    input: z.strictObject({ 'sobject-name': objectName, id: recordId, 'relationship-path': path }),
    run: (context, args) => {
      const start = { object: args['sobject-name'], id: args.id }
      const way = args['relationship-path']
      const target = oneOf(related(call, context, start, way), way)
      call(context, 'DELETE', at(target.object, target.id))
      return { id: target.id, success: true, errors: [] }
    },
  }),
]

/** The vendor's hosted servers differ in what they let an agent do. */
const servers: Readonly<Record<string, (tool: { effect: string; destructive?: boolean }) => boolean>> = {
  'sobject-all': () => true,
  'sobject-reads': ({ effect }) => effect === 'read',
  'sobject-mutations': ({ effect, destructive }) => effect === 'write' && !destructive,
  'sobject-deletes': ({ destructive }) => destructive === true,
}

const hosted = /^(?:\/platform\/mcp\/v1\/(?:sandbox\/)?platform|\/mcp)\/([a-z-]+)$/

/** The vendor's hosted servers; `/mcp` below a twin is the one with all tools. */
export const face = (native: NativeWire): McpFace<CrmTables> => {
  const call = caller(native)
  return {
    serverInfo: { name: 'Salesforce MCP', version: '1.0.0' },
    hosts: ['api.salesforce.com'],
    endpoint: (asked) => {
      if (asked === '/mcp') return {}
      const name = hosted.exec(asked)?.[1] ?? ''
      const includes = Object.hasOwn(servers, name) ? servers[name] : undefined
      return includes && { includes }
    },
    authenticate: ({ headers }, session) => {
      const token = /^Bearer\s+(\S+)$/i.exec((headers.authorization ?? '').trim())?.[1] ?? ''
      const subject = subjectOf(token, session.principals, session.views)
      session.authenticate(subject === undefined ? undefined : actor(subject, session.views))
      return session.actor !== undefined
    },
    scopes: ['mcp_api', 'refresh_token'],
    tools: [...readTools(call), ...writeTools(call)],
    notEmulated: [],
    refusal: ({ message }) => message,
  }
}
