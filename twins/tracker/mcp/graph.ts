import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { McpContext } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { TrackerTables } from '../tables.ts'
import { wire } from '../wire.ts'

export type Context = McpContext<TrackerTables>
// biome-ignore lint/suspicious/noExplicitAny: what a query returns has the shape of the query beside it.
export type Node = any

/** Runs a document of the native API as the caller: the same operations, permissions and refusals. */
export const graph = (
  { request, session }: Context,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Node => {
  const reply = wire(
    {
      ...request,
      method: 'POST',
      path: '/graphql',
      query: '',
      headers: { ...request.headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ query, variables })),
    },
    session,
  )
  const { data, errors } = JSON.parse(String(reply.body))
  const [first] = errors ?? []
  if (!first) return data
  const shown = first.extensions?.userPresentableMessage
  throw new VendorError(
    String(first.extensions?.code ?? 'INTERNAL'),
    shown && !first.message.includes(shown) ? `${first.message} - ${shown}` : first.message,
  )
}

/** Fields that every list takes, with its own limits. */
export const page = (max = 250) => ({
  limit: z.number().min(1).max(max).default(50).describe(`At most ${max}`),
  cursor: z.string().describe('Where the last page ended').optional(),
  orderBy: z.enum(['createdAt', 'updatedAt']).default('updatedAt'),
})
export const since = z.string().describe('ISO 8601 date or duration such as -P1D, after').optional()
export const archived = (standard: boolean) => z.boolean().default(standard)

export const pageArgs = '$first: Int, $after: String, $orderBy: PaginationOrderBy'
export const pagePassed = 'first: $first, after: $after, orderBy: $orderBy'
export const pageInfo = 'pageInfo { hasNextPage endCursor }'

export interface Page {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly orderBy: string
}

/** Nodes that one native request is asked for: with more, a request costs more than the service lets it. */
const perRequest = 50

/** A page of a list under the list's own name, gathered from as many native requests as it takes. */
export const listed = (
  name: string,
  args: Page,
  ask: (variables: Readonly<Record<string, unknown>>) => Node,
  shape: (node: Node) => unknown,
): Record<string, unknown> => {
  const nodes: Node[] = []
  let after = args.cursor ?? null
  let hasNextPage = true
  while (hasNextPage && nodes.length < Math.trunc(args.limit)) {
    const first = Math.min(perRequest, Math.trunc(args.limit) - nodes.length)
    const connection = ask({ first, after, orderBy: args.orderBy })
    nodes.push(...connection.nodes)
    hasNextPage = connection.pageInfo.hasNextPage
    after = connection.pageInfo.endCursor
  }
  return { [name]: nodes.map(shape), hasNextPage, ...(hasNextPage ? { cursor: after } : {}) }
}

interface ListOrder {
  /** The name of the list in the answer. */
  readonly as: string
  readonly args: Page
  /** The connection of the native API, with the type of its filter and the fields of a node. */
  readonly connection: string
  readonly filterType: string
  readonly fields: string
  readonly filter: object
  /** Left out where the connection does not take it. */
  readonly includeArchived?: boolean
  readonly shape: (node: Node) => unknown
}

/** Lists the nodes of a connection that pass a filter. */
export const listFiltered = (context: Context, order: ListOrder): Record<string, unknown> => {
  const { connection, filterType, fields, filter, includeArchived } = order
  const [declared, passed] =
    includeArchived === undefined
      ? ['', '']
      : [', $includeArchived: Boolean', ', includeArchived: $includeArchived']
  const query = `query (${pageArgs}, $filter: ${filterType}${declared}) {
    ${connection}(${pagePassed}, filter: $filter${passed}) { nodes { ${fields} } ${pageInfo} } }`
  const asked = { filter, ...(includeArchived === undefined ? {} : { includeArchived }) }
  const ask = (variables: object) => graph(context, query, { ...variables, ...asked })[connection]
  return listed(order.as, order.args, ask, order.shape)
}

/** Leaves out what is not set, as the real answers do. */
export const present = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const isUuid = (text: string): boolean => uuid.test(text)

export const missing = (what: string): VendorError =>
  new VendorError('INPUT_ERROR', `Entity not found: ${what} - Could not find referenced ${what}.`)

const only = (what: string, nodes: readonly Node[]): string => {
  if (nodes.length === 0) throw missing(what)
  if (nodes.length > 1) throw new VendorError('INPUT_ERROR', `More than one ${what} matches. Use its id.`)
  return nodes[0].id
}

const byName = (text: string, more: readonly object[] = []) => ({
  or: isUuid(text) ? [{ id: { eq: text } }] : [{ name: { eqIgnoreCase: text } }, ...more],
})

export const teamId = (context: Context, text: string): string => {
  const filter = byName(text, [{ key: { eqIgnoreCase: text } }])
  const query = 'query ($filter: TeamFilter) { teams(filter: $filter, first: 2) { nodes { id } } }'
  return only('Team', graph(context, query, { filter }).teams.nodes)
}

export const userId = (context: Context, text: string): string => {
  if (text === 'me') return context.session.actor?.id ?? ''
  const filter = byName(text, [{ email: { eqIgnoreCase: text } }, { displayName: { eqIgnoreCase: text } }])
  const query = 'query ($filter: UserFilter) { users(filter: $filter, first: 2) { nodes { id } } }'
  return only('User', graph(context, query, { filter }).users.nodes)
}

/** A state of a team by id, name or type; of a type, the first in the order of the team's board. */
export const stateId = (context: Context, text: string, team: string): string => {
  const query = `query ($id: ID!) { workflowStates(filter: { team: { id: { eq: $id } } }, first: 250) {
    nodes { id name type position } } }`
  const nodes: Node[] = graph(context, query, { id: team }).workflowStates.nodes
  const folded = text.toLowerCase()
  const found =
    nodes.find(({ id }) => id === text) ??
    nodes.find(({ name }) => name.toLowerCase() === folded) ??
    nodes.filter(({ type }) => type === folded).sort((a, b) => a.position - b.position)[0]
  if (!found) throw missing('WorkflowState')
  return found.id
}

export const labelId = (context: Context, text: string, team: string | undefined): string => {
  const filter = byName(text)
  const query = `query ($filter: IssueLabelFilter) { issueLabels(filter: $filter, first: 50) {
    nodes { id team { id } } } }`
  const nodes: Node[] = graph(context, query, { filter }).issueLabels.nodes
  const own = nodes.filter((node) => !node.team || node.team.id === team)
  return only('IssueLabel', team === undefined ? nodes.slice(0, 1) : own.slice(0, 1))
}

export const projectId = (context: Context, text: string): string => {
  const slug = /-([0-9a-f]{12})$/.exec(text)?.[1] ?? text
  const query = 'query ($filter: ProjectFilter) { projects(filter: $filter, first: 2) { nodes { id } } }'
  const filter = byName(text, [{ slugId: { eq: slug } }])
  return only('Project', graph(context, query, { filter }).projects.nodes)
}

export const milestoneId = (context: Context, text: string, project: string | undefined): string => {
  const within = project === undefined ? {} : { project: { id: { eq: project } } }
  const query = `query ($filter: ProjectMilestoneFilter) { projectMilestones(filter: $filter, first: 2) {
    nodes { id } } }`
  const filter = { ...within, ...(isUuid(text) ? { id: { eq: text } } : { name: { eqIgnoreCase: text } }) }
  return only('ProjectMilestone', graph(context, query, { filter }).projectMilestones.nodes)
}

export const cycleId = (context: Context, text: string, team: string): string => {
  const query = `query ($id: ID!) { cycles(filter: { team: { id: { eq: $id } } }, first: 250) {
    nodes { id name number } } }`
  const nodes: Node[] = graph(context, query, { id: team }).cycles.nodes
  const found = nodes.filter(
    ({ id, name, number }) =>
      id === text || String(number) === text || name?.toLowerCase() === text.toLowerCase(),
  )
  return only('Cycle', found)
}

export const issueId = (context: Context, text: string): string =>
  graph(context, 'query ($id: String!) { issue(id: $id) { id } }', { id: text }).issue.id
