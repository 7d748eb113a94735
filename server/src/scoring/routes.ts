import type {
  builtinScorerRoutes,
  calibrationRoutes,
  ScorerTest,
  ScorerTestResult,
  scorerRoutes,
  scorerTestRoutes,
} from '@diorama/contract'
import type { Caller, Handlers } from '../http/handler.ts'
import { builtinDefinition, shownBuiltins } from './builtins/library.ts'
import type { Calibrate } from './calibration/calibrate.ts'
import type { CalibrationStore } from './calibration/store.ts'
import { checkDefinition, type Library } from './library.ts'
import { type CheckSyntax, requireSyntax } from './syntax.ts'

export const scorerHandlers = (
  library: Library,
  checkSyntax: CheckSyntax,
): Handlers<typeof scorerRoutes & typeof builtinScorerRoutes> => ({
  listScorers: ({ caller, query: { limit, cursor, ...filter } }) =>
    library.store.list(caller.organizationId, filter, { limit, cursor }),
  createScorer: async ({ caller, body }) => {
    checkDefinition(body)
    await requireSyntax(checkSyntax, body)
    return library.require(caller.organizationId, await library.create(caller.organizationId, body))
  },
  readScorer: ({ caller, params }) => library.require(caller.organizationId, params.scorerId),
  updateScorer: async ({ caller, params, body }) => {
    checkDefinition(body)
    await requireSyntax(checkSyntax, body)
    return library.update(caller.organizationId, params.scorerId, body)
  },
  archiveScorer: ({ caller, params }) => library.archive(caller.organizationId, params.scorerId),
  listBuiltinScorers: () => ({ items: shownBuiltins() }),
  createBuiltinScorer: async ({ caller, params, body }) => {
    const definition = builtinDefinition(params.slug, body)
    return library.require(caller.organizationId, await library.create(caller.organizationId, definition))
  },
})

export type TestScorer = (caller: Caller, test: ScorerTest, signal: AbortSignal) => Promise<ScorerTestResult>

export const calibrationHandlers = (
  library: Pick<Library, 'require'>,
  store: CalibrationStore,
  calibrate: Calibrate,
): Handlers<typeof calibrationRoutes> => ({
  calibrateScorer: ({ caller, params, body, signal }) => calibrate(caller, params.scorerId, body, signal),
  listCalibrations: async ({ caller, params, query }) => {
    await library.require(caller.organizationId, params.scorerId)
    return store.list(caller.organizationId, params.scorerId, query)
  },
})

export const scorerTestHandlers = (test: TestScorer): Handlers<typeof scorerTestRoutes> => ({
  testScorer: ({ caller, body, signal }) => test(caller, body, signal),
})
