import { canSeeFile, type Seen } from '../access.ts'
import type { RuleContext, Surface, Value } from './schema.ts'

const images = new Set(['png', 'jpg', 'jpeg', 'gif'])

/** What the rules of blocks need to know of the workspace, as the caller sees it. */
export const blockContext = (call: Seen, surface: Surface = 'message'): RuleContext => ({
  surface,
  isImage: ({ id, url }: Value) => {
    const named = typeof id === 'string' ? id : /-(F[A-Z0-9]+)\//.exec(String(url))?.[1]
    const file = named === undefined ? undefined : call.tables.file.get(named)
    return (
      file !== undefined && images.has(file.filetype) && (call.actor === undefined || canSeeFile(call, file))
    )
  },
  isRemoteFile: (externalId) => call.tables.file.first('external', externalId) !== undefined,
  isCall: (id) => call.tables.call.has(id),
})
