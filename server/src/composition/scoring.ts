import type {
  calibrationRoutes,
  scorerTestRoutes,
  suiteProofRoutes,
  traceTaskRoutes,
} from '@diorama/contract'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { createWorldFiles } from '../evaluations/grading/world-files.ts'
import type { Handlers } from '../http/handler.ts'
import { whileWaited } from '../http/limits/while-waited.ts'
import type { ModelCatalog } from '../models/models.ts'
import { openCalibrate } from '../scoring/calibration/calibrate.ts'
import { calibrationStore } from '../scoring/calibration/store.ts'
import { verdictCache } from '../scoring/judge/cache.ts'
import { openDrafter } from '../scoring/judge/draft.ts'
import { openJudge } from '../scoring/judge/judge.ts'
import type { Library } from '../scoring/library.ts'
import { openProver, type ProveParts } from '../scoring/prove.ts'
import { calibrationHandlers, scorerTestHandlers } from '../scoring/routes.ts'
import { createScoring, type Judge, type Scoring } from '../scoring/score.ts'
import type { SharedVerifier } from '../scoring/shared-verifier.ts'
import type { ScorerTables } from '../scoring/tables.ts'
import { allowSandbox, openTry, type TryParts } from '../scoring/try.ts'
import type { Log } from '../storage/log.ts'
import { openFromTrace } from '../suites/from-trace.ts'
import { openProof } from '../suites/proof.ts'
import { suiteWorkHandlers } from '../suites/routes.ts'
import type { Suites } from '../suites/suites.ts'
import { recordedTrace } from '../telemetry/recorded-trace.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { TwinRuntime } from '../twins/open.ts'
import type { Worlds } from '../worlds/worlds.ts'

export interface ScoringDeps {
  readonly config: Pick<Config, 'judgeModel'>
  readonly suites: Suites
  readonly library: Library
  readonly models: ModelCatalog
  readonly worlds: Pick<Worlds, 'store'>
  readonly runtime: TwinRuntime
  readonly telemetry: Telemetry
  readonly opened: () => Promise<SharedVerifier>
  /** What the scorers of a finished trial were given. */
  readonly graded: TryParts['graded']
  readonly lastPassing: ProveParts['lastPassing']
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly db: Kysely<ScorerTables>
  readonly makeId: (prefix: string) => string
}

export interface ScoringPart {
  readonly judge: Judge
  readonly scoring: Scoring
  readonly handlers: Handlers<
    typeof scorerTestRoutes & typeof calibrationRoutes & typeof suiteProofRoutes & typeof traceTaskRoutes
  >
}

/** Gives scorers what the other parts have: a sandbox, a judge, worlds; and suites the scorers and the traces. */
export const composeScoring = ({
  config: { judgeModel },
  suites,
  library,
  models,
  worlds,
  runtime,
  telemetry,
  opened,
  graded,
  lastPassing,
  log,
  now,
  random,
  db,
  makeId,
}: ScoringDeps): ScoringPart => {
  const judge = openJudge({ models, judgeModel, random, now, verdicts: verdictCache(db) })
  const scoring = createScoring({ verifier: async () => (await opened()).verifier, judge })
  const requireSandbox = async () => (await opened()).isolation
  const { untouchedWorld, currentWorld } = createWorldFiles({ worlds: worlds.store, runtime })
  const calibrations = calibrationStore(db)
  return {
    judge,
    scoring,
    handlers: {
      ...scorerTestHandlers(whileWaited(openTry({ scoring, requireSandbox, graded, currentWorld }))),
      ...calibrationHandlers(
        library,
        calibrations,
        whileWaited(
          openCalibrate({
            ...{ library, store: calibrations, judge, judgeModel, graded, now, makeId },
          }),
        ),
      ),
      ...suiteWorkHandlers({
        suites,
        proof: whileWaited(
          openProof({
            suites,
            prove: openProver({ scoring, untouchedWorld, lastPassing }),
            allowCode: (caller) => allowSandbox(caller, requireSandbox),
            now,
          }),
        ),
        fromTrace: whileWaited(
          openFromTrace({
            suites,
            recorded: recordedTrace(telemetry, now),
            draft: openDrafter({ models, judgeModel, random, log }),
          }),
        ),
      }),
    },
  }
}
