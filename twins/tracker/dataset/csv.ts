import { csvRows } from '@diorama/twin-kit/datasets/csv'
import type { DatasetReader, Reading, SourcePlace } from '@diorama/twin-kit/datasets/dataset'
import { palette, standardStates } from '../standard.ts'
import { uuidFrom } from '../values/uuid.ts'
import { dayOf, momentOf } from './times.ts'

type Fields = Readonly<Record<string, string>>

const priorities = ['no priority', 'urgent', 'high', 'medium', 'low']
const early = '2020-01-01T00:00:00.000Z'
const stamps = { createdAt: early, updatedAt: early, archivedAt: null }

/** The list of issues that the service exports as CSV; teams, states, people, labels and projects are what it names. */
export const csvExport: DatasetReader = {
  format: 'tracker-csv',
  label: 'An export of issues (CSV)',
  takes: 'files',
  read: async ({ files }, reading) => {
    const made = new Set<string>()
    let latest = 0
    for (const file of files) {
      if (!file.name.endsWith('.csv')) continue
      for await (const { number, fields } of csvRows(file.chunks())) {
        const place = { file: file.name, row: number }
        const field = await readIssue(fields, createNames(reading, made, place), reading, place)
        if (field) reading.fault({ ...place, field }, 'cannot be read')
        latest = Math.max(latest, Date.parse(momentOf(fields.Updated) ?? early))
      }
    }
    if (latest > 0) reading.company({ latest })
  },
}

/** What the rows name, made when it is first named; each gives the id. */
interface Names {
  readonly team: (key: string, name: string) => Promise<string>
  readonly state: (key: string, teamId: string, name: string, type: string) => Promise<string>
  readonly user: (named: string) => Promise<string | null>
  readonly label: (name: string) => Promise<string>
  readonly idOf: (kind: string, ...parts: readonly string[]) => string
}

/** `made` are the ids of what earlier rows named; what is new comes from this place. */
const createNames = (reading: Reading, made: Set<string>, place: SourcePlace): Names => {
  const idOf = (kind: string, ...parts: readonly string[]) => uuidFrom(reading.digest(kind, ...parts))
  const once = async (collection: string, id: string, row: () => object) => {
    if (made.has(id)) return id
    made.add(id)
    await reading.insert(collection, { id, ...stamps, ...row() }, place)
    return id
  }
  const team = async (key: string, name: string) => {
    const id = idOf('Team', key)
    const state = (wanted: string) => idOf('State', key, wanted.toLowerCase())
    if (made.has(id)) return id
    const color = palette[Number.parseInt(id.slice(0, 4), 16) % palette.length] ?? null
    await once('Team', id, () => ({
      ...{ name, key, description: null, icon: null, color, parentId: null, timezone: 'Etc/UTC' },
      defaultIssueStateId: state(standardStates[0]?.name ?? 'Backlog'),
      ...{ triageIssueStateId: null, triageEnabled: false, cyclesEnabled: false },
    }))
    for (const [position, { key: _, ...rest }] of standardStates.entries())
      await once('WorkflowState', state(rest.name), () => ({
        ...rest,
        description: null,
        position,
        teamId: id,
      }))
    return id
  }
  const state = async (key: string, teamId: string, name: string, type: string) => {
    const id = idOf('State', key, name.toLowerCase())
    return once('WorkflowState', id, () => ({
      ...{ name, type, color: '#95a2b3', description: null, position: 100, teamId },
    }))
  }
  const user = async (named: string) => {
    if (named === '') return null
    const handle = named.split('@')[0] ?? named
    return once('User', idOf('User', named.toLowerCase()), () => ({
      ...{ name: handle, displayName: handle, handle: named.toLowerCase(), title: null, description: null },
      ...{
        email: named.includes('@') ? named : '',
        timezone: null,
        active: true,
        admin: false,
        owner: false,
      },
      ...{ guest: false, avatarUrl: null },
    }))
  }
  const label = (name: string) =>
    once('IssueLabel', idOf('Label', name), () => ({
      ...{ name, color: '#95a2b3', description: null, isGroup: false, teamId: null, parentId: null },
    }))
  return { team, state, user, label, idOf }
}

const stateType = (fields: Fields): string => {
  if (fields.Canceled) return 'canceled'
  if (fields.Completed) return 'completed'
  if (fields.Started) return 'started'
  return /backlog/i.test(fields.Status ?? '') ? 'backlog' : 'unstarted'
}

/** Gives the field that cannot be read, if there is one. */
const readIssue = async (
  fields: Fields,
  names: Names,
  reading: Reading,
  place: SourcePlace,
): Promise<string | undefined> => {
  const identifier = fields.ID ?? ''
  const parts = /^([A-Z][A-Z0-9]*)-(\d+)$/i.exec(identifier)
  if (!parts) return 'ID'
  const createdAt = momentOf(fields.Created)
  if (createdAt === undefined) return 'Created'
  const [, key = '', digits = '0'] = parts
  const priority = priorities.indexOf((fields.Priority ?? '').toLowerCase())
  if (priority === -1 && (fields.Priority ?? '') !== '') return 'Priority'
  const teamId = await names.team(key, fields.Team || key)
  const stateId = await names.state(key, teamId, fields.Status || 'Backlog', stateType(fields))
  const creatorId = await names.user(fields.Creator ?? '')
  const assigneeId = await names.user(fields.Assignee ?? '')
  const labelIds: string[] = []
  for (const name of (fields.Labels ?? '').split(','))
    if (name.trim()) labelIds.push(await names.label(name.trim()))
  const number = Number(digits)
  const parent = fields['Parent issue'] ?? ''
  const row = {
    id: names.idOf('Issue', identifier),
    ...{
      createdAt,
      updatedAt: momentOf(fields.Updated) ?? createdAt,
      archivedAt: momentOf(fields.Archived) ?? null,
    },
    ...{ identifier, number, title: fields.Title ?? '', description: fields.Description || null },
    ...{
      priority: Math.max(0, priority),
      estimate: Number(fields.Estimate) || null,
      dueDate: dayOf(fields['Due Date']),
    },
    ...{
      sortOrder: -100 * number,
      prioritySortOrder: -100 * number,
      subIssueSortOrder: null,
      teamId,
      stateId,
    },
    ...{ assigneeId, delegateId: null, creatorId, projectId: null, projectMilestoneId: null, cycleId: null },
    parentId: parent === '' ? null : names.idOf('Issue', parent),
    ...{ labelIds, previousIdentifiers: [], trashed: null },
    subscriberIds: [...new Set([creatorId, assigneeId].filter((one) => one !== null))],
    startedAt: momentOf(fields.Started) ?? null,
    completedAt: momentOf(fields.Completed) ?? null,
    canceledAt: momentOf(fields.Canceled) ?? null,
  }
  await reading.insert('Issue', row, place)
  return undefined
}
