import { ForgeWorldRequest } from '@diorama/contract/worlds'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import { shapeDetails, summary } from '../http/parse.ts'
import type { Launcher } from './launch.ts'
import type { Worlds } from './worlds.ts'

/** Saves the world of a blueprint for trials to copy, and returns its environment version; none of its twins stays up. */
export type SaveWorld = (caller: Caller, blueprint: Readonly<Record<string, unknown>>) => Promise<string>

export const createSaveWorld =
  ({ launcher, worlds }: { readonly launcher: Launcher; readonly worlds: Worlds }): SaveWorld =>
  async (caller, blueprint) => {
    const parsed = ForgeWorldRequest.safeParse({ blueprint, ttlHours: 1 })
    if (!parsed.success) {
      const details = shapeDetails(parsed.error, '')
      throw new ApiError('invalid_blueprint', summary('The blueprint does not fit', details), { details })
    }
    const { row } = await launcher.launch({
      caller,
      request: parsed.data,
      sent: { ...blueprint },
      unknownFields: [],
    })
    await worlds.stop(caller, row.id)
    if (row.launch_error !== null || row.environment_version_id === null)
      throw new ApiError('invalid_blueprint', `The world could not be made: ${row.launch_error}`)
    return row.environment_version_id
  }
