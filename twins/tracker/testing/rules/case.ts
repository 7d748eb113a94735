import assert from 'node:assert/strict'
import { idOf, type startTracker } from '../world.ts'

export type World = ReturnType<typeof startTracker>
/** Shows in a fresh world that one rule holds. */
export type Case = (world: World) => void
export type Cases = Readonly<Record<string, Case>>

export const [eng, ops] = [idOf('ENG'), idOf('OPS')]
export const [quiet, later] = [idOf('quiet'), idOf('later')]

type Variables = Record<string, unknown>

/** Calls one mutation with an input and maybe an id; gives its payload. */
export const call = (
  world: World,
  name: string,
  args: Variables,
  { select = 'success', as = world.token }: { select?: string; as?: string | undefined } = {},
): ReturnType<World['data']> => {
  const { declared, passed } = argumentsOf(name, args)
  return world.data(`mutation${declared} { ${name}${passed} { ${select} } }`, args, as)[name]
}

/** Calls a mutation that must be refused and change nothing; gives the refusal. */
export const refused = (
  world: World,
  name: string,
  args: Variables,
  { as = world.token }: { as?: string | undefined } = {},
): { message: string; presentable: string; code: string } => {
  const { declared, passed } = argumentsOf(name, args)
  const { status, body, step } = world.ask(
    `mutation${declared} { ${name}${passed} { __typename } }`,
    args,
    as,
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(body.errors, `${name} ${JSON.stringify(args)} is not refused`)
  assert.deepEqual(step.changes, [])
  const { message, extensions } = body.errors[0]
  assert.equal(extensions.userError, true)
  return { message, presentable: extensions.userPresentableMessage, code: extensions.code }
}

const inputTypes: Readonly<Record<string, string>> = {
  teamUpdate: 'TeamUpdateInput',
  projectMilestoneMove: 'ProjectMilestoneMoveInput',
  agentSessionCreateOnIssue: 'AgentSessionCreateOnIssue',
  agentSessionCreateOnComment: 'AgentSessionCreateOnComment',
}
const argumentTypes: Readonly<Record<string, string>> = {
  id: 'String!',
  role: 'UserRoleType!',
  ids: '[UUID!]!',
  trash: 'Boolean',
  permanentlyDelete: 'Boolean',
  resolvingCommentId: 'String',
}

const argumentsOf = (name: string, args: Variables) => {
  const type = (arg: string) =>
    arg === 'input'
      ? `${inputTypes[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`}!`
      : (argumentTypes[arg] ?? 'String!')
  const names = Object.keys(args)
  return {
    declared: names.length === 0 ? '' : `(${names.map((arg) => `$${arg}: ${type(arg)}`).join(', ')})`,
    passed: names.length === 0 ? '' : `(${names.map((arg) => `${arg}: $${arg}`).join(', ')})`,
  }
}

/** Creates a record over the API and gives its id. */
export const create = (world: World, name: string, input: Variables, as?: string): string => {
  const entity = name.replace(/Create$/, '')
  const key = {
    customerNeed: 'need',
    customerStatus: 'status',
    customerTier: 'tier',
    projectStatus: 'status',
  }[entity]
  const field = key ?? entity
  const made = call(world, name, { input }, { select: `${field} { id }`, as: as ?? world.token })
  return made[field]?.id ?? assert.fail(name)
}

/** An issue with some fields. */
export const issue = (world: World, id: string, select: string) =>
  world.data(`{ issue(id: "${id}") { ${select} } }`).issue

export const userId = (world: World, handle: string): string =>
  world.data(`{ user(id: "${handle}@northwind.example") { id } }`).user.id

/** A state of a team, by name. */
export const stateId = (world: World, team: string, name: string): string =>
  world
    .data(`{ team(id: "${team}") { states { nodes { id name } } } }`)
    .team.states.nodes.find((state: { name: string }) => state.name === name)?.id ?? assert.fail(name)

/** A label of a team, by name. */
export const labelId = (world: World, team: string, name: string): string =>
  world.data(
    `{ issueLabels(filter: { team: { key: { eq: "${team}" } }, name: { eq: "${name}" } }) { nodes { id } } }`,
  ).issueLabels.nodes[0]?.id ?? assert.fail(name)
