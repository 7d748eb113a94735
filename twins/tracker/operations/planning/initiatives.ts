import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import type { EntityRow } from '../../rows.ts'
import { checkLabels } from '../../rules/labels.ts'
import { checkBetween, checkPriority } from '../../rules/lengths.ts'
import { inputError } from '../../shapes/refusals.ts'
import { iso } from '../../values/times.ts'
import { crud, type Kind, type Operations } from '../crud.ts'
import { type Input, needText, newSlugId } from '../records.ts'

const withoutNull = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

const checkInitiative = (call: TrackerCall, input: Input, columns: Row, before?: EntityRow): void => {
  checkPriority(input)
  checkBetween(input, 'updateRemindersHour', { min: 0, max: 23 })
  if (Array.isArray(columns.labelIds))
    checkLabels(call, 'InitiativeLabel', {
      labelIds: columns.labelIds,
      before: Array.isArray(before?.labelIds) ? before.labelIds.map(String) : [],
      what: 'initiative',
    })
}

const initiatives: Kind = {
  type: 'Initiative',
  has: ['Create', 'Update', 'Archive', 'Unarchive', 'Delete'],
  trash: true,
  start: (call, input, columns) => {
    checkInitiative(call, input, columns)
    return {
      status: 'Planned',
      description: null,
      content: null,
      labelIds: [],
      targetDate: null,
      trashed: null,
      sortOrder: call.tables.Initiative.size() * 100,
      ...withoutNull({
        status: input.status,
        description: input.description,
        content: input.content,
        sortOrder: input.sortOrder,
        labelIds: input.labelIds,
        targetDate: input.targetDate,
      }),
      name: needText(input, 'name'),
      slugId: newSlugId(call),
      creatorId: actorId(call),
      ownerId: input.ownerId ?? actorId(call),
    }
  },
  revise: (call, row, input, columns) => {
    checkInitiative(call, input, columns, row)
    if (typeof input.name === 'string') needText(input, 'name')
    const now = iso(call.now)
    if (input.status === 'Active') return { startedAt: row.startedAt ?? now, completedAt: null }
    return input.status === 'Completed' ? { completedAt: now } : {}
  },
}

const maxDepth = 5
type Direction = readonly [from: string, to: string]
const up: Direction = ['relatedInitiativeId', 'initiativeId']
const down: Direction = ['initiativeId', 'relatedInitiativeId']

/** Everything above or below an initiative, itself included, and how many levels that is. */
const reach = (
  call: TrackerCall,
  id: string,
  [from, to]: Direction,
): { ids: Set<string>; levels: number } => {
  const ids = new Set([id])
  let level = [id]
  let levels = 0
  while (level.length > 0) {
    levels++
    level = level.flatMap((one) =>
      [...call.tables.InitiativeRelation.find(from, one)].flatMap((relation) => {
        const next = String(relation[to])
        if (relation.archivedAt !== null || ids.has(next)) return []
        ids.add(next)
        return [next]
      }),
    )
  }
  return { ids, levels }
}

/** Initiatives form a hierarchy: no cycles, one parent once, and a bounded depth. */
const checkRelation = (call: TrackerCall, { initiativeId, relatedInitiativeId }: Row): void => {
  const [parent, child] = [String(initiativeId), String(relatedInitiativeId)]
  const above = reach(call, parent, up)
  if (above.ids.has(child))
    throw inputError(
      'Initiative relation cycle',
      'An initiative cannot be part of itself or of its own sub-initiatives.',
    )
  if (above.levels + reach(call, child, down).levels > maxDepth)
    throw inputError(
      'Initiative hierarchy too deep',
      `Initiatives can be nested at most ${maxDepth} levels deep.`,
    )
  const there = [...call.tables.InitiativeRelation.find('initiativeId', parent)].some(
    (row) => row.relatedInitiativeId === child && row.archivedAt === null,
  )
  if (there) throw inputError('Duplicate initiative relation', 'The initiative is already part of the other.')
}

/** A project is in a hierarchy of initiatives once. */
const checkProjectOnce = (call: TrackerCall, { initiativeId, projectId }: Row): void => {
  const id = String(initiativeId)
  const family = new Set([...reach(call, id, up).ids, ...reach(call, id, down).ids])
  const there = [...call.tables.InitiativeToProject.find('projectId', String(projectId))].some(
    (row) => row.archivedAt === null && family.has(String(row.initiativeId)),
  )
  if (there)
    throw inputError(
      'Project already in initiative hierarchy',
      'A project can only appear once in an initiative hierarchy.',
    )
}

/** Anchors and milestones of a dependency belong to the projects that it is between. */
const checkProjectRelation = (call: TrackerCall, columns: Row, row?: EntityRow): void => {
  const whole = { ...row, ...columns }
  if (whole.projectId === whole.relatedProjectId)
    throw inputError('Invalid project relation', 'A project cannot be related to itself.')
  for (const [milestone, project] of [
    ['projectMilestoneId', 'projectId'],
    ['relatedProjectMilestoneId', 'relatedProjectId'],
  ] as const) {
    const found = find(call, 'ProjectMilestone', whole[milestone])
    if (found && found.projectId !== whole[project])
      throw inputError('Invalid project milestone', 'The project milestone does not belong to the project.')
  }
  const there = [...call.tables.ProjectRelation.find('projectId', String(whole.projectId))].some(
    (other) =>
      other.id !== row?.id && other.archivedAt === null && other.relatedProjectId === whole.relatedProjectId,
  )
  if (there) throw inputError('Duplicate project relation', 'The projects are already related.')
}

const links: readonly Kind[] = [
  {
    type: 'InitiativeToProject',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input, columns) => {
      checkProjectOnce(call, columns)
      return { sortOrder: String(input.sortOrder ?? 0) }
    },
  },
  {
    type: 'InitiativeRelation',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input, columns) => {
      checkRelation(call, columns)
      return { sortOrder: input.sortOrder ?? 0, userId: actorId(call) }
    },
  },
  {
    type: 'ProjectRelation',
    has: ['Create', 'Update', 'Delete'],
    start: (call, input, columns) => {
      checkProjectRelation(call, columns)
      return {
        type: input.type ?? 'dependency',
        anchorType: input.anchorType ?? 'end',
        relatedAnchorType: input.relatedAnchorType ?? 'start',
        userId: actorId(call),
      }
    },
    revise: (call, row, _input, columns) => {
      checkProjectRelation(call, columns, row)
      return { userId: actorId(call) }
    },
  },
]

export const initiativeOperations: Operations = Object.assign({}, ...[initiatives, ...links].map(crud))
