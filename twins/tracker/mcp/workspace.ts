import { type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { TrackerTables } from '../tables.ts'
import {
  archived,
  graph,
  labelId,
  listed,
  listFiltered,
  type Node,
  page,
  pageArgs,
  pageInfo,
  pagePassed,
  present,
  since,
  stateId,
  teamId,
  userId,
} from './graph.ts'

const text = z.string()
const after = (at: string | undefined) => (at === undefined ? undefined : { gt: at })

const labelFields = 'id name description color isGroup parent { name } team { id name }'
const labelShape = ({ parent, team, ...label }: Node) => ({
  ...label,
  ...present({ parent: parent?.name, team: team?.name, teamId: team?.id }),
})

const userFields = 'id name displayName email active admin guest avatarUrl createdAt updatedAt timezone'
const userShape = ({ active, admin, guest, ...user }: Node) => ({
  ...user,
  isActive: active,
  isAdmin: admin,
  isGuest: guest,
})

const teamTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_teams',
    description: 'Lists the teams of the workspace.',
    effect: 'read',
    input: z.strictObject({
      ...page(),
      query: text.optional(),
      includeArchived: archived(false),
      createdAt: since,
      updatedAt: since,
    }),
    run: (context, args) => {
      const filter = present({
        name: args.query === undefined ? undefined : { containsIgnoreCase: args.query },
        createdAt: after(args.createdAt),
        updatedAt: after(args.updatedAt),
      })
      return listFiltered(context, {
        as: 'teams',
        args,
        connection: 'teams',
        filterType: 'TeamFilter',
        fields: 'id name icon createdAt updatedAt',
        filter,
        includeArchived: args.includeArchived,
        shape: present,
      })
    },
  }),
  mcpTool({
    name: 'get_team',
    description: 'Reads a team.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ query: text.describe('Id, key or name') }),
    run: (context, { query }) =>
      graph(
        context,
        'query ($id: String!) { team(id: $id) { id name key icon description createdAt updatedAt } }',
        { id: teamId(context, query) },
      ).team,
  }),
  mcpTool({
    name: 'list_issue_statuses',
    description: 'Lists the statuses that issues of a team can have.',
    effect: 'read',
    input: z.strictObject({ team: text.describe('Name or id') }),
    run: (context, { team }) =>
      graph(
        context,
        `query ($id: ID!) { workflowStates(filter: { team: { id: { eq: $id } } }, first: 250) {
          nodes { id type name } } }`,
        { id: teamId(context, team) },
      ).workflowStates.nodes,
  }),
  mcpTool({
    name: 'get_issue_status',
    description: 'Reads a status by id or name.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ id: text, name: text, team: text }),
    run: (context, { id, name, team }) =>
      graph(context, 'query ($id: String!) { workflowState(id: $id) { id type name } }', {
        id: stateId(context, id || name, teamId(context, team)),
      }).workflowState,
  }),
  mcpTool({
    name: 'list_cycles',
    description: 'Lists the cycles of a team.',
    effect: 'read',
    input: z.strictObject({ teamId: text, type: z.enum(['current', 'previous', 'next']).optional() }),
    run: (context, { teamId: team, type }) => {
      const { cycles } = graph(
        context,
        `query ($id: ID!) { cycles(filter: { team: { id: { eq: $id } } }, first: 250) { nodes { id number name startsAt
          endsAt completedIssueCountHistory issueCountHistory completedScopeHistory scopeHistory isActive isNext
          isPrevious } } }`,
        { id: teamId(context, team) },
      )
      const wanted = { current: 'isActive', previous: 'isPrevious', next: 'isNext' }
      return cycles.nodes
        .filter((cycle: Node) => type === undefined || cycle[wanted[type]])
        .map(({ isActive, isNext: _next, isPrevious: _previous, name, ...cycle }: Node) => ({
          ...cycle,
          ...present({ name }),
          isCurrent: isActive,
        }))
    },
  }),
]

const peopleTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_users',
    description: 'Lists the people of the workspace.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({
      ...page(),
      query: text.describe('Name or email').optional(),
      team: text.optional(),
    }),
    run: (context, args) => {
      const { query, team } = args
      const memberOf = team === undefined ? undefined : teamId(context, team)
      const filter = {
        ...(query === undefined
          ? {}
          : {
              or: [
                { name: { containsIgnoreCase: query } },
                { displayName: { containsIgnoreCase: query } },
                { email: { containsIgnoreCase: query } },
              ],
            }),
      }
      const root = memberOf === undefined ? '' : `team(id: ${JSON.stringify(memberOf)}) { members`
      const list = `(${pagePassed}, filter: $filter) { nodes { ${userFields} } ${pageInfo} }`
      const ask = (variables: object) => {
        const data = graph(
          context,
          `query (${pageArgs}, $filter: UserFilter) { ${root === '' ? `users${list}` : `${root}${list} }`} }`,
          { ...variables, filter },
        )
        return data.users ?? data.team.members
      }
      return listed('users', args, ask, userShape)
    },
  }),
  mcpTool({
    name: 'get_user',
    description: 'Reads a person.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ query: text.describe('Id, name, email or me') }),
    run: (context, { query }) =>
      userShape(
        graph(context, `query ($id: String!) { user(id: $id) { ${userFields} } }`, {
          id: userId(context, query),
        }).user,
      ),
  }),
]

const labelTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_issue_labels',
    description: 'Lists the labels that issues can have.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ ...page(), name: text.optional(), team: text.optional() }),
    run: (context, args) => {
      const filter = present({
        name: args.name === undefined ? undefined : { containsIgnoreCase: args.name },
        team: args.team === undefined ? undefined : { id: { eq: teamId(context, args.team) } },
      })
      return listFiltered(context, {
        as: 'labels',
        args,
        connection: 'issueLabels',
        filterType: 'IssueLabelFilter',
        fields: labelFields,
        filter,
        shape: labelShape,
      })
    },
  }),
  mcpTool({
    name: 'create_issue_label',
    description: 'Makes a label for issues, of a team or of the workspace.',
    effect: 'write',
    evidence: 'chosen',
    input: z.strictObject({
      name: text,
      description: text.optional(),
      color: text.describe('Hex').optional(),
      teamId: text.describe('Left out for a label of the workspace').optional(),
      parent: text.describe('Name of a group of labels').optional(),
      isGroup: z.boolean().default(false),
    }),
    run: (context, { parent, teamId: team, ...label }) => {
      const input = {
        ...label,
        ...present({
          teamId: team === undefined ? undefined : teamId(context, team),
          parentId: parent === undefined ? undefined : labelId(context, parent, team),
        }),
      }
      const { issueLabelCreate } = graph(
        context,
        `mutation ($input: IssueLabelCreateInput!) {
          issueLabelCreate(input: $input) { issueLabel { ${labelFields} } } }`,
        { input },
      )
      return labelShape(issueLabelCreate.issueLabel)
    },
  }),
  mcpTool({
    name: 'list_project_labels',
    description: 'Lists the labels that projects can have.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ ...page(), name: text.optional() }),
    run: (context, args) => {
      const filter = args.name === undefined ? {} : { name: { containsIgnoreCase: args.name } }
      return listFiltered(context, {
        as: 'labels',
        args,
        connection: 'projectLabels',
        filterType: 'ProjectLabelFilter',
        fields: 'id name description color isGroup',
        filter,
        shape: present,
      })
    },
  }),
]

export const workspaceTools: readonly McpTool<TrackerTables>[] = [...teamTools, ...peopleTools, ...labelTools]
