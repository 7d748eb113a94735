import type { scorerRoutes } from '@diorama/contract'
import type { Handlers } from '../http/handler.ts'
import type { Library } from './library.ts'

export const scorerHandlers = (library: Library): Handlers<typeof scorerRoutes> => ({
  listScorers: ({ caller, query: { limit, cursor, ...filter } }) =>
    library.store.list(caller.organizationId, filter, { limit, cursor }),
  createScorer: async ({ caller, body }) =>
    library.require(caller.organizationId, await library.create(caller.organizationId, body)),
  readScorer: ({ caller, params }) => library.require(caller.organizationId, params.scorerId),
  updateScorer: ({ caller, params, body }) => library.update(caller.organizationId, params.scorerId, body),
  archiveScorer: ({ caller, params }) => library.archive(caller.organizationId, params.scorerId),
})
