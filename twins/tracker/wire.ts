import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { type GraphQLCall, operationOf, readCall, rootFields, run } from '@diorama/twin-kit/wires/graphql'
import { IntrospectionTooLarge } from '@diorama/twin-kit/wires/graphql/introspection'
import { variableErrors } from '@diorama/twin-kit/wires/graphql/variables'
import { type DocumentNode, type GraphQLError, Kind, type OperationDefinitionNode } from 'graphql'
import { authenticate } from './actor.ts'
import type { RequestContext } from './context.ts'
import { Budget } from './graphql/budget.ts'
import { maxComplexity, TooDeep } from './graphql/complexity.ts'
import { trackerSchema } from './graphql/engine.ts'
import { operationName, readField } from './graphql/resolvers.ts'
import { answerOAuth } from './oauth/routes.ts'
import type { Grant } from './oauth/scopes.ts'
import { operations } from './operations/index.ts'
import { hiddenTeams } from './rules/access.ts'
import { located, requestError, unauthenticated } from './shapes/errors.ts'
import { notEmulatedKey, tooComplex } from './shapes/refusals.ts'
import { reply } from './shapes/reply.ts'
import type { TrackerTables } from './tables.ts'
import { answerUpload } from './wire/uploads.ts'

/** One endpoint, `/graphql`, and beside it those of OAuth and the addresses that files are put to and fetched from. */
export const wire = (request: TwinRequest, session: Session<TrackerTables>): TwinReply => {
  const path = request.path.replace(/\/+$/, '')
  if (path !== '/graphql')
    return (
      answerOAuth(request, session) ??
      answerUpload(request, session) ??
      reply(404, { error: 'Not found' }, session.now)
    )
  if (request.method === 'OPTIONS') return reply(204, undefined, session.now)
  return answer(request, session)
}

const answer = (request: TwinRequest, session: Session<TrackerTables>): TwinReply => {
  const call = readCall(request)
  const refuse = (message: string, code: string) =>
    reply(400, { errors: [requestError(message, code)] }, session.now)
  if ('refused' in call)
    return call.refused === 'too large'
      ? refuseComplex(tooComplex(call.message), session.now)
      : refuse(call.message, 'BAD_REQUEST')
  const live = trackerSchema.get()
  const { document, errors, excess, introspects = false } = live.documents.get(call.query)
  if (!document && excess === undefined)
    return reply(400, { errors: errors.map((error) => located(error, 'GRAPHQL_PARSE_FAILED')) }, session.now)
  const operation = document ? operationOf(document, call.operationName) : 'The document was not parsed.'
  const caller = authenticate(request, session)
  if (!caller && !(typeof operation === 'object' && asksSchemaOnly(operation)))
    return reply(401, unauthenticated, session.now)
  if (!document || excess !== undefined) return refuseComplex(tooComplex(excess ?? ''), session.now)
  if (errors.length > 0)
    return reply(
      400,
      { errors: errors.map((error) => located(error, 'GRAPHQL_VALIDATION_FAILED')) },
      session.now,
    )
  if (typeof operation === 'string') return refuse(operation, 'OPERATION_RESOLUTION_FAILURE')
  if (operation.operation === 'subscription') {
    for (const { name } of rootFields(document, operation))
      session.notEmulated(operationName('subscription', name.value))
    return refuse('Subscriptions are not supported over HTTP.', 'BAD_REQUEST')
  }
  return answerOperation({ call, document, introspects, operation, session, grant: caller?.grant })
}

interface Answering {
  readonly call: GraphQLCall
  readonly document: DocumentNode
  readonly introspects: boolean
  readonly operation: OperationDefinitionNode
  readonly session: Session<TrackerTables>
  readonly grant: Grant | undefined
}

/** Refuses what costs too much, before running it where that is known, and otherwise with every change rolled back. */
const answerOperation = (answering: Answering): TwinReply => {
  const { call, document, operation, session } = answering
  let complexity = 0
  try {
    complexity = trackerSchema.get().complexities.of(document, operation, call.variables)
    if (complexity > maxComplexity)
      throw tooComplex(`Complexity: ${Math.ceil(complexity)}. Maximum allowed complexity: ${maxComplexity}.`)
    session.label(labelOf(document, operation))
    return session.atomic(() => execute(answering, complexity))
  } catch (error) {
    const refusal =
      error instanceof TooDeep
        ? tooComplex(error.message)
        : error instanceof IntrospectionTooLarge
          ? tooComplex('It asks for more of the schema than one answer may hold.')
          : error
    if (refusal instanceof VendorError && refusal.message === 'Query too complex')
      return refuseComplex(refusal, session.now, complexity)
    throw error
  }
}

const refuseComplex = ({ message, data }: VendorError, now: number, complexity = 0): TwinReply =>
  reply(400, { errors: [{ message, extensions: data }] }, now, complexity)

const execute = (
  { call, document, introspects, operation, session, grant }: Answering,
  complexity: number,
): TwinReply => {
  const budget = new Budget(workspaceRows(session))
  const context: RequestContext = {
    tables: session.views,
    now: session.now,
    actor: session.actor,
    baseUrl: session.baseUrl,
    session,
    budget,
    has: (name) => name in operations,
    grant,
    ...(operation.operation === 'query'
      ? { hidden: hiddenTeams({ tables: session.views, actor: session.actor }) }
      : {}),
  }
  const { schema } = trackerSchema.get()
  const { data, errors } = run({
    schema,
    document,
    introspects,
    operation,
    call,
    context,
    fieldResolver: readField,
  })
  if (budget.exhausted)
    throw tooComplex('It looks at more records, or answers with more text, than one query may.')
  if (data === undefined)
    return reply(
      400,
      { errors: requestErrors(operation, call, errors).map((error) => located(error, 'BAD_USER_INPUT')) },
      session.now,
      complexity,
    )
  if (!errors) return reply(200, { data }, session.now, complexity)
  const answered = errors.map((error) => resolverError(error, session))
  return reply(200, { errors: answered, data }, session.now, complexity)
}

/** Faults in variables, in the wording that clients know; anything else as the engine words it. */
const requestErrors = (
  operation: OperationDefinitionNode,
  call: GraphQLCall,
  errors: readonly GraphQLError[] = [],
): readonly GraphQLError[] => {
  const worded = variableErrors(trackerSchema.get().schema, operation, call.variables)
  return worded.length > 0 ? worded : errors
}

const workspaceRows = ({ views }: Session<TrackerTables>): number =>
  Object.values(views).reduce((sum, view) => sum + view.size(), 0)

/** Introspection is open to everyone; so is asking for the name of a root type. */
const asksSchemaOnly = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every((node) => node.kind === Kind.FIELD && node.name.value.startsWith('__'))

/** The root fields of an operation, under which its step is recorded: at most five. */
const labelOf = (document: DocumentNode, operation: OperationDefinitionNode): string => {
  const fields = [...new Set(rootFields(document, operation).map(({ name }) => name.value))]
  const names = fields.slice(0, 5).map((field) => operationName('query', field).slice('query '.length))
  const kind = operation.operation === 'mutation' ? 'mutation' : 'query'
  return `${kind} ${names.join(', ')}${fields.length > 5 ? ', …' : ''}`
}

/** A refusal in the API's own words. What the twin cannot fill in is counted; any other error is a bug and goes on up. */
const resolverError = (error: GraphQLError, session: Session<TrackerTables>) => {
  const cause = error.originalError
  const { message, path, locations } = error
  if (cause instanceof VendorError) {
    const { [notEmulatedKey]: lacking, ...extensions } = cause.data
    if (typeof lacking === 'string') session.notEmulated(lacking)
    return { message, path, locations, extensions }
  }
  if (!/^Cannot return null for non-nullable field/.test(message)) throw cause ?? error
  const field = /field (\S+?)\.?$/.exec(message)?.[1] ?? 'field'
  session.notEmulated(field)
  return {
    message: 'Feature not accessible',
    path,
    locations,
    extensions: {
      type: 'feature not accessible',
      code: 'FEATURE_NOT_ACCESSIBLE',
      statusCode: 403,
      userError: true,
      userPresentableMessage: `${field} is not available in this workspace.`,
    },
  }
}
