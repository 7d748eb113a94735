import { allRoutes, type RouteName, type RouteSpec } from '@diorama/contract'
import { z } from 'zod'

/** The operations that a coding agent needs to build a suite and to find out why an agent failed. */
const offered = {
  read_sample_blueprint: 'readSampleBlueprint',
  validate_blueprint: 'validateBlueprint',
  launch_world: 'launchWorld',
  list_worlds: 'listWorlds',
  read_world: 'readWorld',
  read_world_diff: 'diffWorld',
  list_world_activity: 'listWorldActivity',
  list_suites: 'listSuites',
  create_suite: 'createSuite',
  read_suite: 'readSuite',
  create_task: 'createTask',
  set_task_scorers: 'setTaskScorers',
  check_suite: 'checkSuite',
  list_scorers: 'listScorers',
  create_scorer: 'createScorer',
  test_scorer: 'testScorer',
  list_agents: 'listAgents',
  register_agent: 'registerAgent',
  start_evaluation: 'startJob',
  read_evaluation: 'readJob',
  read_results: 'readResults',
  list_trials: 'listTrials',
  read_trial: 'readTrial',
} as const satisfies Readonly<Record<string, RouteName>>

type Json = Readonly<Record<string, unknown>>

export interface ServiceTool {
  readonly name: string
  readonly route: RouteSpec
}

export const serviceTools: readonly ServiceTool[] = Object.entries(offered).map(([name, route]) => ({
  name,
  route: allRoutes[route],
}))

const schemaOf = (schema: z.ZodType | undefined): { properties?: Json; required?: string[] } =>
  schema === undefined
    ? {}
    : z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' })

const described = new Map<string, Json>()

/** A tool as a list shows it. Its arguments are the parameters, the query and the body of its operation together. */
export const describeTool = ({ name, route }: ServiceTool): Json => {
  const known = described.get(name)
  if (known) return known
  const parts = [schemaOf(route.params), schemaOf(route.query), schemaOf(route.body)]
  const definitions = Object.assign(
    {},
    ...parts.map((part) => (part as { definitions?: Json }).definitions ?? {}),
  )
  const made = {
    name,
    description: `${route.summary} (${route.method} ${route.path}, scope ${route.scope})`,
    inputSchema: {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties = {} }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
      ...(Object.keys(definitions).length > 0 ? { definitions } : {}),
    },
    annotations: { readOnlyHint: route.method === 'GET', destructiveHint: false, openWorldHint: false },
  }
  described.set(name, made)
  return made
}

export interface ServiceCall {
  readonly method: RouteSpec['method']
  readonly url: string
  readonly body: Json | undefined
}

/** The request that a call makes: arguments of the path and of the query by name, all others in the body. */
export const callOf = ({ route }: ServiceTool, args: Json): ServiceCall | { readonly missing: string } => {
  const rest = { ...args }
  const take = (name: string): unknown => {
    const value = rest[name]
    delete rest[name]
    return value
  }
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const values = names.map((name) => [name, take(name)] as const)
  const missing = values.find(([, value]) => typeof value !== 'string' || value === '')
  if (missing) return { missing: missing[0] }
  const path = values.reduce(
    (left, [name, value]) => left.replace(`{${name}}`, encodeURIComponent(String(value))),
    route.path as string,
  )
  const asked = route.query ? Object.keys(route.query.shape) : []
  const query = new URLSearchParams()
  for (const name of route.body === undefined ? Object.keys(rest) : asked.filter((one) => one in rest))
    query.set(name, String(take(name)))
  const search = query.size > 0 ? `?${query}` : ''
  return { method: route.method, url: `${path}${search}`, body: route.body === undefined ? undefined : rest }
}
