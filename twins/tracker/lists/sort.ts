import { type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { shapes } from '../shapes/index.ts'

type Value = string | number | null
interface Order {
  readonly descending: boolean
  readonly nullsFirst: boolean
  readonly value: (row: EntityRow) => Value
}

/** Sorts whose key is not a field of the row itself. */
const related: Readonly<Record<string, [column: string, type: string, field: string]>> = {
  assignee: ['assigneeId', 'User', 'name'],
  delegate: ['delegateId', 'User', 'name'],
  cycle: ['cycleId', 'Cycle', 'number'],
  project: ['projectId', 'Project', 'name'],
  milestone: ['projectMilestoneId', 'ProjectMilestone', 'sortOrder'],
  team: ['teamId', 'Team', 'name'],
  lead: ['leadId', 'User', 'name'],
  status: ['statusId', 'ProjectStatus', 'position'],
  owner: ['ownerId', 'User', 'name'],
  tier: ['tierId', 'CustomerTier', 'position'],
}
const renamed: Readonly<Record<string, string>> = { manual: 'sortOrder', linkCount: 'attachmentCount' }
/** Work in hand comes before the backlog (recorded from the service), and what is closed comes last. */
const stateOrder = ['triage', 'started', 'unstarted', 'backlog', 'completed', 'canceled', 'duplicate']

/** Makes the comparison that a `sort` argument asks for: the first key in which two rows differ decides. */
export const compileSort = (
  sort: readonly Readonly<Record<string, unknown>>[],
  context: Context,
): ((a: EntityRow, b: EntityRow) => number) => {
  const orders = sort.flatMap((entry) =>
    Object.entries(entry).map(([key, options]) => orderBy(key, optionsOf(options), context)),
  )
  return (a, b) => {
    for (const order of orders) {
      const compared = compare(order, order.value(a), order.value(b))
      if (compared !== 0) return compared
    }
    return a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? 1 : -1
  }
}

interface Options {
  readonly order: unknown
  readonly nulls: unknown
  readonly noPriorityFirst: unknown
  readonly closedIssuesOrderedByRecency: unknown
}
const optionsOf = (value: unknown): Options => ({
  order: 'Ascending',
  nulls: 'last',
  noPriorityFirst: false,
  closedIssuesOrderedByRecency: false,
  ...(typeof value === 'object' ? value : {}),
})

const orderBy = (key: string, options: Options, context: Context): Order => ({
  descending: options.order === 'Descending',
  nullsFirst: options.nulls === 'first',
  value: (row) => toValue(sortValue(key, row, options, context)),
})

const sortValue = (key: string, row: EntityRow, options: Options, context: Context): unknown => {
  if (key === 'priority') {
    const priority = Number(row.priority)
    return priority === 0 && options.noPriorityFirst !== true ? 5 : priority
  }
  if (key === 'workflowState') {
    const state = find(context, 'WorkflowState', row.stateId)
    return state ? stateOrder.indexOf(String(state.type)) * 1e6 + Number(state.position) : null
  }
  if (key === 'label') {
    const first = Array.isArray(row.labelIds) ? row.labelIds[0] : undefined
    return find(context, 'IssueLabel', first)?.name ?? null
  }
  if (key === 'linkCount') return context.tables.Attachment.count('issueId', row.id)
  if (key === 'rootIssue') return rootOf(row, context).createdAt
  if (key === 'health') return null
  const relation = related[key]
  if (relation) return find(context, relation[1], row[relation[0]])?.[relation[2]] ?? null
  const field = renamed[key] ?? key
  const shape = 'identifier' in row ? shapes.Issue : undefined
  return row[field] ?? shape?.[field]?.(row, {}, context) ?? null
}

const rootOf = (row: EntityRow, context: Context): EntityRow => {
  let root = row
  for (let depth = 0; depth < 20; depth++) {
    const parent = find(context, 'Issue', root.parentId)
    if (!parent) break
    root = parent
  }
  return root
}

const toValue = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' ? value : null

const compare = ({ descending, nullsFirst }: Order, a: Value, b: Value): number => {
  if (a === null || b === null) return a === b ? 0 : (a === null) === nullsFirst ? -1 : 1
  const [left, right] =
    typeof a === 'string' && typeof b === 'string' ? [a.toLowerCase(), b.toLowerCase()] : [a, b]
  const compared = left < right ? -1 : left > right ? 1 : 0
  return descending ? -compared : compared
}
