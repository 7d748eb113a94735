import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { TrackerTables } from '../tables.ts'
import {
  archived,
  type Context,
  cycleId,
  graph,
  issueId,
  labelId,
  listFiltered,
  milestoneId,
  missing,
  type Node,
  page,
  present,
  projectId,
  since,
  stateId,
  teamId,
  userId,
} from './graph.ts'

const text = z.string()
const maxListed = 450

const fields = `id identifier title description priority priorityLabel estimate url branchName createdAt updatedAt
  archivedAt completedAt startedAt canceledAt dueDate slaStartedAt slaMediumRiskAt slaHighRiskAt slaBreachesAt slaType
  state { name type } labels(first: 20) { nodes { name } } creator { id name } assignee { id name } delegate { id name }
  project { id name } projectMilestone { id name } parent { identifier } team { id name } cycle { id }`

const cut = (description: string): string =>
  description.length <= maxListed
    ? description
    : `${description.slice(0, maxListed)}… (truncated, use \`get_issue\` for full description)`

const shape = (node: Node, isWhole: boolean): Record<string, unknown> => ({
  id: node.identifier,
  title: node.title,
  description: isWhole ? (node.description ?? '') : cut(node.description ?? ''),
  ...present({ projectMilestone: node.projectMilestone }),
  priority: { value: node.priority, name: node.priorityLabel },
  ...present({
    estimate: node.estimate === null ? undefined : { value: node.estimate, name: `${node.estimate} Points` },
  }),
  url: node.url,
  gitBranchName: node.branchName,
  createdAt: node.createdAt,
  updatedAt: node.updatedAt,
  archivedAt: node.archivedAt,
  completedAt: node.completedAt,
  startedAt: node.startedAt,
  canceledAt: node.canceledAt,
  dueDate: node.dueDate,
  slaStartedAt: node.slaStartedAt,
  slaMediumRiskAt: node.slaMediumRiskAt,
  slaHighRiskAt: node.slaHighRiskAt,
  slaBreachesAt: node.slaBreachesAt,
  ...present({ slaType: node.slaType }),
  status: node.state.name,
  statusType: node.state.type,
  labels: node.labels.nodes.map(({ name }: Node) => name),
  ...present({
    createdBy: node.creator?.name,
    createdById: node.creator?.id,
    assignee: node.assignee?.name,
    assigneeId: node.assignee?.id,
    delegate: node.delegate?.name,
    delegateId: node.delegate?.id,
    project: node.project?.name,
    projectId: node.project?.id,
    parentId: node.parent?.identifier,
  }),
  team: node.team.name,
  teamId: node.team.id,
  ...present({ cycleId: node.cycle?.id }),
})

const read = (context: Context, id: string, withRelations = false): Record<string, unknown> => {
  const relations = withRelations
    ? `relations { nodes { type relatedIssue { identifier title } } }
       inverseRelations { nodes { type issue { identifier title } } }`
    : ''
  const { issue } = graph(
    context,
    `query ($id: String!) { issue(id: $id) { ${fields} attachments { nodes { id title subtitle url } }
      documents { nodes { id title } } ${relations} } }`,
    { id },
  )
  return {
    ...shape(issue, true),
    attachments: issue.attachments.nodes,
    documents: issue.documents.nodes,
    ...(withRelations ? { relations: relationsOf(issue) } : {}),
  }
}

const relationsOf = ({ relations, inverseRelations }: Node): Record<string, unknown> => {
  const there = (type: string) =>
    relations.nodes
      .filter((one: Node) => one.type === type)
      .map(({ relatedIssue }: Node) => ({ id: relatedIssue.identifier, title: relatedIssue.title }))
  const back = (type: string) =>
    inverseRelations.nodes
      .filter((one: Node) => one.type === type)
      .map(({ issue }: Node) => ({ id: issue.identifier, title: issue.title }))
  const [duplicateOf = null] = there('duplicate')
  return {
    blocks: there('blocks'),
    blockedBy: back('blocks'),
    relatedTo: [...there('related'), ...back('related')],
    duplicateOf,
  }
}

const List = z.strictObject({
  ...page(),
  query: text.describe('Part of the title or description').optional(),
  team: text.describe('Name or id').optional(),
  state: text.describe('Type, name or id').optional(),
  cycle: text.describe('Name, number or id; needs team').optional(),
  label: text.describe('Name or id').optional(),
  assignee: text.nullable().describe('Id, name, email or me; null for none').optional(),
  delegate: text.optional(),
  project: text.describe('Name, id or slug').optional(),
  priority: z.number().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low').optional(),
  parentId: text.describe('Id or identifier').optional(),
  createdAt: since,
  updatedAt: since,
  includeArchived: archived(true),
  fields: z.array(text).describe('Keys of an issue to return').optional(),
})
type List = z.output<typeof List>

const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

const stateFilter = (state: string): object => {
  if (stateTypes.includes(state.toLowerCase())) return { type: { eq: state.toLowerCase() } }
  return { or: [{ name: { eqIgnoreCase: state } }, { id: { in: [state] } }] }
}

const filterOf = (context: Context, args: List): object => {
  const is = (id: string) => ({ id: { eq: id } })
  const team = args.team === undefined ? undefined : teamId(context, args.team)
  if (args.cycle !== undefined && team === undefined)
    throw new VendorError('INPUT_ERROR', 'cycle needs team, which it is a cycle of.')
  return present({
    ...(args.query === undefined
      ? {}
      : {
          or: [
            { title: { containsIgnoreCase: args.query } },
            { description: { containsIgnoreCase: args.query } },
          ],
        }),
    team: team === undefined ? undefined : is(team),
    state: args.state === undefined ? undefined : stateFilter(args.state),
    cycle: args.cycle === undefined ? undefined : is(cycleId(context, args.cycle, team ?? '')),
    labels:
      args.label === undefined
        ? undefined
        : { some: { name: { eqIgnoreCase: labelName(context, args.label) } } },
    assignee:
      args.assignee === undefined
        ? undefined
        : args.assignee === null
          ? { null: true }
          : is(userId(context, args.assignee)),
    delegate: args.delegate === undefined ? undefined : is(userId(context, args.delegate)),
    project: args.project === undefined ? undefined : is(projectId(context, args.project)),
    priority: args.priority === undefined ? undefined : { eq: args.priority },
    parent: args.parentId === undefined ? undefined : is(issueId(context, args.parentId)),
    createdAt: args.createdAt === undefined ? undefined : { gt: args.createdAt },
    updatedAt: args.updatedAt === undefined ? undefined : { gt: args.updatedAt },
  })
}

/** Labels of one name exist in several teams; an id means its name. */
const labelName = (context: Context, label: string): string =>
  context.session.views.IssueLabel.get(label)?.name ?? label

const list = (context: Context, args: List) => {
  const wanted = args.fields
  const shown = (node: Node) => {
    const whole = shape(node, false)
    return wanted ? Object.fromEntries(Object.entries(whole).filter(([key]) => wanted.includes(key))) : whole
  }
  return listFiltered(context, {
    as: 'issues',
    args,
    connection: 'issues',
    filterType: 'IssueFilter',
    fields,
    filter: filterOf(context, args),
    includeArchived: args.includeArchived,
    shape: shown,
  })
}

const changes = {
  title: text.optional(),
  description: text.describe('Markdown').optional(),
  team: text.describe('Name or id; needed for a new issue').optional(),
  cycle: text.nullable().optional(),
  milestone: text.optional(),
  priority: z.number().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low').optional(),
  project: text.nullable().optional(),
  state: text.describe('Type, name or id').optional(),
  assignee: text.nullable().describe('Id, name, email or me; null for none').optional(),
  delegate: text.nullable().optional(),
  labels: z.array(text).describe('Names or ids; replaces all').optional(),
  dueDate: text.describe('ISO date').optional(),
  parentId: text.nullable().optional(),
  estimate: z.number().nullable().optional(),
  links: z.array(z.strictObject({ url: z.url(), title: text.min(1) })).optional(),
  blocks: z.array(text).optional(),
  blockedBy: z.array(text).optional(),
  relatedTo: z.array(text).optional(),
  duplicateOf: text.nullable().optional(),
  removeBlocks: z.array(text).optional(),
  removeBlockedBy: z.array(text).optional(),
  removeRelatedTo: z.array(text).optional(),
}
const Save = z.strictObject({
  id: text.describe('Id or identifier; only to change an issue').optional(),
  ...changes,
})
type Save = z.output<typeof Save>

/** What is left out was not given; null takes away. */
const inputOf = (context: Context, args: Save, team: string): object => {
  const given = <V>(value: V | null | undefined, find: (value: V) => unknown) =>
    value === undefined || value === null ? value : find(value)
  const project = given(args.project, (name) => projectId(context, name)) as string | null | undefined
  const fields = {
    title: args.title,
    description: args.description,
    priority: args.priority,
    estimate: args.estimate,
    dueDate: args.dueDate,
    stateId: given(args.state, (state) => stateId(context, state, team)),
    assigneeId: given(args.assignee, (user) => userId(context, user)),
    delegateId: given(args.delegate, (user) => userId(context, user)),
    projectId: project,
    projectMilestoneId: given(args.milestone, (name) => milestoneId(context, name, project ?? undefined)),
    cycleId: given(args.cycle, (name) => cycleId(context, name, team)),
    labelIds: given(args.labels, (names) => names.map((name) => labelId(context, name, team))),
    parentId: given(args.parentId, (id) => issueId(context, id)),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const relate = (context: Context, issue: string, related: string, type: string): void => {
  graph(
    context,
    'mutation ($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }',
    { input: { issueId: issueId(context, issue), relatedIssueId: issueId(context, related), type } },
  )
}

const unrelate = (context: Context, issue: string, related: string, type: string): void => {
  const { issue: found } = graph(
    context,
    `query ($id: String!) { issue(id: $id) { relations { nodes { id type relatedIssue { id } } } } }`,
    { id: issue },
  )
  const other = issueId(context, related)
  const relation = found.relations.nodes.find(
    (one: Node) => one.relatedIssue.id === other && (type === '' || one.type === type),
  )
  if (!relation) throw missing('IssueRelation')
  graph(context, 'mutation ($id: String!) { issueRelationDelete(id: $id) { success } }', { id: relation.id })
}

const connect = (context: Context, id: string, args: Save): void => {
  for (const other of args.blocks ?? []) relate(context, id, other, 'blocks')
  for (const other of args.blockedBy ?? []) relate(context, other, id, 'blocks')
  for (const other of args.relatedTo ?? []) relate(context, id, other, 'related')
  if (typeof args.duplicateOf === 'string') relate(context, id, args.duplicateOf, 'duplicate')
  if (args.duplicateOf === null) unrelateDuplicate(context, id)
  for (const other of args.removeBlocks ?? []) unrelate(context, id, other, 'blocks')
  for (const other of args.removeBlockedBy ?? []) unrelate(context, other, id, 'blocks')
  for (const other of args.removeRelatedTo ?? []) unrelate(context, id, other, 'related')
  for (const { url, title } of args.links ?? [])
    graph(
      context,
      `mutation ($id: String!, $url: String!, $title: String) {
        attachmentLinkURL(issueId: $id, url: $url, title: $title) { success } }`,
      { id, url, title },
    )
}

const unrelateDuplicate = (context: Context, id: string): void => {
  const { issue } = graph(
    context,
    'query ($id: String!) { issue(id: $id) { relations { nodes { id type } } } }',
    { id },
  )
  for (const relation of issue.relations.nodes)
    if (relation.type === 'duplicate')
      graph(context, 'mutation ($id: String!) { issueRelationDelete(id: $id) { success } }', {
        id: relation.id,
      })
}

const save = (context: Context, args: Save) => {
  if (args.id === undefined) {
    if (args.title === undefined || args.team === undefined)
      throw new VendorError('INPUT_ERROR', 'title and team are required when creating an issue.')
    const team = teamId(context, args.team)
    const { issueCreate } = graph(
      context,
      'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }',
      { input: { ...inputOf(context, args, team), teamId: team } },
    )
    connect(context, issueCreate.issue.id, args)
    return read(context, issueCreate.issue.id)
  }
  const { issue } = graph(context, 'query ($id: String!) { issue(id: $id) { id team { id } } }', {
    id: args.id,
  })
  const team = args.team === undefined ? issue.team.id : teamId(context, args.team)
  const input = inputOf(context, args, team)
  const moved = args.team === undefined ? input : { ...input, teamId: team }
  if (Object.keys(moved).length > 0)
    graph(
      context,
      'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
      { id: issue.id, input: moved },
    )
  connect(context, issue.id, args)
  return read(context, issue.id)
}

const releases = 'releases and customer needs'

export const issueTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'get_issue',
    description: 'Reads an issue with its attachments and branch name.',
    effect: 'read',
    input: z.strictObject({
      id: text.describe('Id or identifier, such as ENG-123'),
      includeRelations: z.boolean().default(false),
    }),
    missing: releases,
    run: (context, { id, includeRelations }) => read(context, id, includeRelations),
  }),
  mcpTool({
    name: 'list_issues',
    description: 'Lists issues of the workspace.',
    effect: 'read',
    input: List,
    missing: releases,
    run: list,
  }),
  mcpTool({
    name: 'save_issue',
    description: 'Creates an issue, or changes one when id is given.',
    effect: 'write',
    input: Save,
    missing: releases,
    run: save,
  }),
  mcpTool({
    name: 'create_issue',
    description: 'Creates an issue.',
    effect: 'write',
    unlisted: true,
    input: z.strictObject({ ...changes, title: text, team: text }),
    missing: releases,
    run: save,
  }),
  mcpTool({
    name: 'update_issue',
    description: 'Changes an issue.',
    effect: 'write',
    unlisted: true,
    input: z.strictObject({ ...changes, id: text }),
    missing: releases,
    run: save,
  }),
  mcpTool({
    name: 'list_my_issues',
    description: 'Lists the issues that are assigned to you.',
    effect: 'read',
    unlisted: true,
    evidence: 'chosen',
    input: z.strictObject({ ...page() }),
    run: (context, args) => list(context, { ...args, assignee: 'me', includeArchived: false }),
  }),
]
