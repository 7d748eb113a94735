import type { TrackerCall } from '../../context.ts'
import { needAdmin } from '../../rules/access.ts'
import { inputError, notFound } from '../../shapes/refusals.ts'
import { mutation, type Operations } from '../crud.ts'

/** Issues answer to identifiers with a key that their team had before, until the key is deleted. */
const deleteKey = (call: TrackerCall, key: string): void => {
  if (call.tables.Team.first('key', key))
    throw inputError('Active team key', 'The key that the team uses now cannot be deleted.')
  const held = [...call.tables.Issue.all()].filter(({ previousIdentifiers }) =>
    previousIdentifiers.some((identifier) => identifier.startsWith(`${key}-`)),
  )
  if (held.length === 0) throw notFound('TeamKey')
  for (const { id, previousIdentifiers } of held)
    call.tables.Issue.update(id, {
      previousIdentifiers: previousIdentifiers.filter((identifier) => !identifier.startsWith(`${key}-`)),
    })
}

export const teamKeyOperations: Operations = mutation('teamKeyDelete', (call, { id }) => {
  needAdmin(call)
  deleteKey(call, String(id).toUpperCase())
  return { success: true, lastSyncId: call.sequence('sync'), entityId: id }
})
