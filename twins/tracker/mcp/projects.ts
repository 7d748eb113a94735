import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { TrackerTables } from '../tables.ts'
import {
  archived,
  type Context,
  graph,
  listFiltered,
  milestoneId,
  missing,
  type Node,
  page,
  present,
  projectId,
  since,
  teamId,
  userId,
} from './graph.ts'

const text = z.string()
const maxListed = 450
const after = (at: string | undefined) => (at === undefined ? undefined : { gt: at })

const milestoneFields = 'id name description targetDate progress'
const fields = `id icon color name description content url createdAt updatedAt startedAt completedAt canceledAt startDate
  startDateResolution targetDate targetDateResolution priority priorityLabel labels(first: 10) { nodes { id name } }
  lead { id name } status { id name type } teams(first: 10) { nodes { id name key } }`

/** Parts cost, and are read only where they were asked for. */
const fieldsWith = ({ includeMilestones, includeMembers }: Parts): string =>
  [
    fields,
    ...(includeMilestones ? [`projectMilestones(first: 25) { nodes { ${milestoneFields} } }`] : []),
    ...(includeMembers ? ['members(first: 25) { nodes { id name } }'] : []),
  ].join(' ')

interface Parts {
  readonly includeMilestones?: boolean
  readonly includeMembers?: boolean
}

const shape = (node: Node, isWhole: boolean, parts: Parts) => {
  const { content, description, priorityLabel, labels, teams, projectMilestones, members, ...rest } = node
  const whole = content ?? ''
  return {
    ...rest,
    summary: description,
    description:
      isWhole || whole.length <= maxListed
        ? whole
        : `${whole.slice(0, maxListed)}… (truncated, use \`get_project\` for full description)`,
    priority: { value: node.priority, name: priorityLabel },
    labels: labels.nodes,
    initiatives: [],
    teams: teams.nodes,
    ...(parts.includeMilestones ? { milestones: projectMilestones.nodes } : {}),
    ...(parts.includeMembers ? { members: members.nodes } : {}),
  }
}

const readProject = (context: Context, id: string, parts: Parts = {}) =>
  shape(
    graph(context, `query ($id: String!) { project(id: $id) { ${fieldsWith(parts)} } }`, { id }).project,
    true,
    parts,
  )

const statusId = (context: Context, wanted: string): string => {
  const { projectStatuses } = graph(context, '{ projectStatuses(first: 250) { nodes { id name type } } }')
  const folded = wanted.toLowerCase()
  const found = projectStatuses.nodes.find(
    ({ id, name, type }: Node) => id === wanted || name.toLowerCase() === folded || type === folded,
  )
  if (!found) throw missing('ProjectStatus')
  return found.id
}

const resolution = z.enum(['halfYear', 'month', 'quarter', 'year']).optional()
const Save = z.strictObject({
  id: text.describe('Given to change a project').optional(),
  name: text.optional(),
  icon: text.optional(),
  color: text.optional(),
  summary: text.max(255).optional(),
  description: text.describe('Markdown').optional(),
  state: text.optional(),
  startDate: text.optional(),
  startDateResolution: resolution,
  targetDate: text.optional(),
  targetDateResolution: resolution,
  priority: z.int().min(0).max(4).optional(),
  addTeams: z.array(text).optional(),
  removeTeams: z.array(text).optional(),
  setTeams: z.array(text).optional(),
  labels: z.array(text).optional(),
  lead: text.nullable().optional(),
})
type Save = z.output<typeof Save>

const teamsOf = (context: Context, args: Save, held: readonly string[]): string[] | undefined => {
  const ids = (names: readonly string[] = []) => names.map((name) => teamId(context, name))
  if (args.setTeams !== undefined) {
    if (args.addTeams || args.removeTeams)
      throw new VendorError('INPUT_ERROR', 'setTeams cannot be used with addTeams or removeTeams.')
    return ids(args.setTeams)
  }
  if (args.addTeams === undefined && args.removeTeams === undefined) return undefined
  const removed = ids(args.removeTeams)
  return [...new Set([...held, ...ids(args.addTeams)])].filter((id) => !removed.includes(id))
}

const projectLabelIds = (context: Context, names: readonly string[]): string[] => {
  const { projectLabels } = graph(context, '{ projectLabels(first: 250) { nodes { id name } } }')
  return names.map((wanted) => {
    const found = projectLabels.nodes.find(
      ({ id, name }: Node) => id === wanted || name.toLowerCase() === wanted.toLowerCase(),
    )
    if (!found) throw missing('ProjectLabel')
    return found.id
  })
}

const save = (context: Context, args: Save) => {
  const {
    id,
    summary,
    description,
    state,
    lead,
    labels,
    addTeams: _add,
    removeTeams: _remove,
    ...rest
  } = args
  const { setTeams: _set, ...plain } = rest
  const project = id === undefined ? undefined : readProject(context, projectId(context, id))
  const teamIds = teamsOf(context, args, project?.teams.map((team: Node) => team.id) ?? [])
  const given = {
    ...plain,
    description: summary,
    content: description,
    teamIds,
    statusId: state === undefined ? undefined : statusId(context, state),
    leadId: typeof lead === 'string' ? userId(context, lead) : lead,
    labelIds: labels === undefined ? undefined : projectLabelIds(context, labels),
  }
  const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  if (project) {
    graph(
      context,
      'mutation ($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success } }',
      { id: project.id, input },
    )
    return readProject(context, project.id)
  }
  if (args.name === undefined || teamIds === undefined || teamIds.length === 0)
    throw new VendorError(
      'INPUT_ERROR',
      'name and a team (addTeams or setTeams) are required for a new project.',
    )
  const { projectCreate } = graph(
    context,
    'mutation ($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id } } }',
    { input },
  )
  return readProject(context, projectCreate.project.id)
}

const initiatives = 'initiatives'

const projectTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_projects',
    description: 'Lists the projects of the workspace.',
    effect: 'read',
    missing: initiatives,
    input: z.strictObject({
      ...page(50),
      query: text.optional(),
      state: text.optional(),
      team: text.optional(),
      member: text.optional(),
      label: text.optional(),
      createdAt: since,
      updatedAt: since,
      includeMilestones: z.boolean().default(false),
      includeMembers: z.boolean().default(false),
      includeArchived: archived(false),
    }),
    run: (context, args) => {
      const some = (filter: object) => ({ some: filter })
      const filter = present({
        name: args.query === undefined ? undefined : { containsIgnoreCase: args.query },
        status: args.state === undefined ? undefined : { id: { eq: statusId(context, args.state) } },
        accessibleTeams:
          args.team === undefined ? undefined : some({ id: { eq: teamId(context, args.team) } }),
        members: args.member === undefined ? undefined : some({ id: { eq: userId(context, args.member) } }),
        labels: args.label === undefined ? undefined : some({ name: { eqIgnoreCase: args.label } }),
        createdAt: after(args.createdAt),
        updatedAt: after(args.updatedAt),
      })
      return listFiltered(context, {
        as: 'projects',
        args,
        connection: 'projects',
        filterType: 'ProjectFilter',
        fields: fieldsWith(args),
        filter,
        includeArchived: args.includeArchived,
        shape: (node) => shape(node, false, args),
      })
    },
  }),
  mcpTool({
    name: 'get_project',
    description: 'Reads a project.',
    effect: 'read',
    missing: initiatives,
    evidence: 'chosen',
    input: z.strictObject({
      query: text.describe('Name, id or slug'),
      includeMilestones: z.boolean().default(false),
      includeMembers: z.boolean().default(false),
    }),
    run: (context, { query, ...parts }) => readProject(context, projectId(context, query), parts),
  }),
  mcpTool({
    name: 'save_project',
    description: 'Creates a project, or changes one when id is given.',
    effect: 'write',
    missing: initiatives,
    evidence: 'documented',
    input: Save,
    run: save,
  }),
]

const milestoneTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_milestones',
    description: 'Lists the milestones of a project.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ project: text.describe('Name, id or slug') }),
    run: (context, { project }) =>
      graph(
        context,
        `query ($id: String!) { project(id: $id) { projectMilestones(first: 250) { nodes { ${milestoneFields} } } } }`,
        { id: projectId(context, project) },
      ).project.projectMilestones.nodes,
  }),
  mcpTool({
    name: 'get_milestone',
    description: 'Reads a milestone of a project.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ project: text, query: text.describe('Name or id') }),
    run: (context, { project, query }) =>
      graph(context, `query ($id: String!) { projectMilestone(id: $id) { ${milestoneFields} } }`, {
        id: milestoneId(context, query, projectId(context, project)),
      }).projectMilestone,
  }),
  mcpTool({
    name: 'save_milestone',
    description: 'Creates a milestone, or changes one when id is given.',
    effect: 'write',
    evidence: 'chosen',
    input: z.strictObject({
      project: text,
      id: text.describe('Given to change a milestone').optional(),
      name: text.optional(),
      description: text.optional(),
      targetDate: text.nullable().optional(),
    }),
    run: (context, { project, id, ...given }) => {
      const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const within = projectId(context, project)
      if (id !== undefined)
        return graph(
          context,
          `mutation ($id: String!, $input: ProjectMilestoneUpdateInput!) {
            projectMilestoneUpdate(id: $id, input: $input) { projectMilestone { ${milestoneFields} } } }`,
          { id: milestoneId(context, id, within), input },
        ).projectMilestoneUpdate.projectMilestone
      if (given.name === undefined)
        throw new VendorError('INPUT_ERROR', 'name is required for a new milestone.')
      return graph(
        context,
        `mutation ($input: ProjectMilestoneCreateInput!) {
          projectMilestoneCreate(input: $input) { projectMilestone { ${milestoneFields} } } }`,
        { input: { ...input, projectId: within } },
      ).projectMilestoneCreate.projectMilestone
    },
  }),
]

export const planningTools: readonly McpTool<TrackerTables>[] = [...projectTools, ...milestoneTools]
