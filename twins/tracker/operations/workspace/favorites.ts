import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import type { EntityRow } from '../../rows.ts'
import { needOwner } from '../../rules/access.ts'
import { inputError } from '../../shapes/refusals.ts'
import { crud, type Kind, mutation, type Operations } from '../crud.ts'
import { addRecord, type Input, payload, readInput, recordInput } from '../records.ts'

/** What the input points to: columns with ids, a predefined view, or a folder. */
const targetsOf = (input: Input): string[] => {
  const ids = Object.keys(input).filter(
    (name) =>
      name.endsWith('Id') &&
      name !== 'parentId' &&
      name !== 'predefinedViewTeamId' &&
      typeof input[name] === 'string',
  )
  const words = ['predefinedViewType', 'folderName'].filter((name) => typeof input[name] === 'string')
  return [...ids, ...words]
}

/** A favorite points to exactly one thing, and its type says which kind that is. */
const typeOf = (input: Input): string => {
  const [target, ...more] = targetsOf(input)
  if (target === undefined || more.length > 0)
    throw inputError('Invalid favorite', 'Exactly one entity to favorite must be specified.')
  if (target === 'folderName') return 'folder'
  return target === 'predefinedViewType' ? 'predefinedView' : target.slice(0, -'Id'.length)
}

/** Favorites are sorted into folders, and folders are favorites too. */
const checkFolder = (call: TrackerCall, parentId: unknown, id?: string): void => {
  if (typeof parentId !== 'string') return
  const parent = find(call, 'Favorite', parentId)
  if (!parent || parent.ownerId !== actorId(call) || parent.type !== 'folder' || parent.id === id)
    throw inputError('Invalid parent', 'Only favorites of type folder can be parents.')
}

const existing = (call: TrackerCall, columns: Row, type: string): EntityRow | undefined => {
  if (type === 'folder') return undefined
  const names = Object.keys(columns).filter((name) => name.endsWith('Id') || name === 'predefinedViewType')
  return [...call.tables.Favorite.find('ownerId', actorId(call))].find(
    (row) => row.type === type && names.every((name) => name === 'parentId' || row[name] === columns[name]),
  )
}

const favorites: Kind = {
  type: 'Favorite',
  has: ['Update', 'Delete'],
  idempotent: true,
  guard: (call, row) => needOwner(call, row.ownerId, 'owner of the favorite'),
  revise: (call, row, input, columns) => {
    checkFolder(call, columns.parentId, row.id)
    if (typeof input.folderName === 'string' && row.type !== 'folder')
      throw inputError('Invalid favorite', 'Only favorites of type folder have a folder name.')
    return {}
  },
}

/** Favorites belong to one person, and are unique: creating one again gives the one that is there. */
export const favoriteOperations: Operations = {
  ...crud(favorites),
  ...mutation('favoriteCreate', (call, { input }) => {
    const given = recordInput(input)
    const type = typeOf(given)
    const columns = readInput(call, 'Favorite', 'FavoriteCreateInput', given)
    checkFolder(call, columns.parentId)
    const row =
      existing(call, columns, type) ??
      addRecord(
        call,
        'Favorite',
        { sortOrder: call.tables.Favorite.size() * 100, ...columns, ownerId: actorId(call), type },
        given,
      )
    return payload(call, 'Favorite', row)
  }),
}
