import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { stateNow } from '../evaluations/trial/trial-world.ts'
import { ApiError } from '../http/api-error.ts'
import type { ModelCatalog } from '../models/models.ts'
import { openCalibrate } from '../scoring/calibration/calibrate.ts'
import { calibrationStore } from '../scoring/calibration/store.ts'
import { verdictCache } from '../scoring/judge/cache.ts'
import { openDrafter } from '../scoring/judge/draft.ts'
import { openJudge } from '../scoring/judge/judge.ts'
import type { Library } from '../scoring/library.ts'
import { openProver, type ProveParts } from '../scoring/prove.ts'
import { calibrationHandlers, scorerTestHandlers } from '../scoring/routes.ts'
import { createScoring } from '../scoring/score.ts'
import { createSharedVerifier } from '../scoring/shared-verifier.ts'
import type { ScorerTables } from '../scoring/tables.ts'
import { allowSandbox, openTry, type TryParts } from '../scoring/try.ts'
import { serviceText, worldFile } from '../scoring/world-file.ts'
import type { Log } from '../storage/log.ts'
import { openFromTrace } from '../suites/from-trace.ts'
import { openProof } from '../suites/proof.ts'
import { suiteWorkHandlers } from '../suites/routes.ts'
import type { Suites } from '../suites/suites.ts'
import { recordedTrace } from '../telemetry/recorded-trace.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { stateOf } from '../twins/records.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { SharedSandbox } from './sandbox.ts'

export interface ScoringDeps {
  readonly config: Pick<Config, 'judgeModel'>
  readonly suites: Suites
  readonly library: Library
  readonly models: ModelCatalog
  readonly worlds: Pick<Worlds, 'store'>
  readonly runtime: TwinRuntime
  readonly telemetry: Telemetry
  readonly sandbox: SharedSandbox
  /** What the scorers of a finished trial were given. */
  readonly graded: TryParts['graded']
  readonly lastPassing: ProveParts['lastPassing']
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly db: Kysely<ScorerTables>
  readonly makeId: (prefix: string) => string
}

interface WorldPart {
  readonly service: string
  readonly instance: Instance
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
  sandbox,
  graded,
  lastPassing,
  log,
  now,
  random,
  db,
  makeId,
}: ScoringDeps) => {
  const judge = openJudge({ models, judgeModel, random, now, verdicts: verdictCache(db) })
  const opened = createSharedVerifier(sandbox.open)
  const scoring = createScoring({ verifier: async () => (await opened()).verifier, judge })
  const requireSandbox = async () => (await opened()).isolation
  const texts = { of: ({ service, instance }: WorldPart) => serviceText(stateOf(service, instance)) }
  const untouchedWorld = async (organizationId: string, id: string): Promise<Uint8Array | undefined> => {
    const version = await worlds.store.environmentVersion(organizationId, id)
    if (!version) return undefined
    const seeds = await Promise.all(version.services.map((one) => runtime.seeds.load(one.seed_sha256)))
    const services = seeds.map((seed) => {
      const service = seed.twin.kind
      return { service, text: texts.of({ service, instance: new Instance({ seed, principals: [] }) }) }
    })
    return worldFile(services, [])
  }
  const currentWorld = async (organizationId: string, id: string): Promise<Uint8Array | undefined> => {
    const world = await worlds.store.find(organizationId, id)
    if (!world) return undefined
    return stateNow({ runtime }, await runtime.store.ofWorlds([world.id]))
  }
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

/** Work that is abandoned with its caller: a later result or failure is ignored. */
const whileWaited =
  <Given extends unknown[], Result>(work: (...given: [...Given, AbortSignal]) => Promise<Result>) =>
  async (...given: [...Given, AbortSignal]): Promise<Result> => {
    try {
      return await work(...given)
    } catch (error) {
      const signal = given.at(-1)
      if (!(signal instanceof AbortSignal) || !signal.aborted) throw error
      throw new ApiError('unavailable', 'The caller went away before this was done.')
    }
  }
