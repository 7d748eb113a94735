import type { RunModels } from '@diorama/contract'
import type { Log } from '../storage/log.ts'
import type { CallOrder, CallSource, FinishedCall } from './calls/call.ts'
import { openMeter } from './calls/meter.ts'
import { createModelSession, type ModelSession } from './calls/session.ts'
import type { CallPlace, CallStore } from './calls/store.ts'
import type { Upstream } from './calls/upstream.ts'
import type { Cassettes } from './cassettes/cassettes.ts'
import type { ModelProviders, ProviderSet } from './providers/providers.ts'

/** How the calls of an evaluation are answered, as it was frozen when the evaluation started. */
export interface FrozenRunModels extends RunModels {
  /** The version of the cassette that answers. */
  readonly base_version_id: string | null
  readonly base_version: number | null
}

export interface AccessOrder {
  readonly place: CallPlace
  readonly run: FrozenRunModels | null
  /** Agent, task and repetition. */
  readonly scope: string
  readonly createdBy: string
}

/** What the owner of a session hears of its calls. */
export interface SessionHooks {
  readonly refusal?: (order: CallOrder) => string | undefined
  readonly onCall?: (call: FinishedCall) => void
  readonly onMiss?: (reason: string) => void
}

/** A trial's way to models. Its calls are written down soon after they end; what it recorded, when it is disposed of. */
export interface OpenModelAccess extends AsyncDisposable, ProviderSet {
  readonly session: ModelSession
  readonly run: FrozenRunModels | null
  /** When the clocks that the agent can read started; more can be added. */
  readonly clocks: number[]
  listen(hooks: SessionHooks): void
}

export interface ModelAccess {
  open(order: AccessOrder): Promise<OpenModelAccess>
  /** A session outside trials, live: each call is written down when it ends. */
  live(organizationId: string, source: CallSource): Promise<{ session: ModelSession } & ProviderSet>
}

export interface AccessDeps {
  readonly providers: Pick<ModelProviders, 'of'>
  readonly cassettes: Cassettes
  readonly calls: CallStore
  readonly upstream: Upstream
  readonly log: Log
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export const createModelAccess = (deps: AccessDeps): ModelAccess => {
  const { providers, cassettes, calls, upstream, log, now, makeId } = deps

  const keep = async ({ place, run, createdBy }: AccessOrder, session: ModelSession): Promise<void> => {
    if (run === null || place.jobId === null || run.cassette === null) return
    const [name = ''] = run.cassette.split('@')
    const base = run.mode === 'auto' ? run.base_version_id : null
    const { organizationId, jobId } = place
    await cassettes.record({ organizationId, jobId, name, baseId: base, by: createdBy }, session.recorded)
  }

  return {
    open: async (order) => {
      const { place, run, scope } = order
      const set = await providers.of(place.organizationId)
      const answering = run?.base_version_id ?? null
      const cassette = answering === null ? undefined : await cassettes.load(place.organizationId, answering)
      const clocks = [now()]
      let hooks: SessionHooks = {}
      const meter = openMeter({ write: (some) => calls.write(place, some), log })
      const session = createModelSession({
        mode: run?.mode ?? 'live',
        script: run?.script ?? null,
        cassette,
        scope,
        clocks,
        prices: set.prices,
        ...{ upstream, now, makeId },
        refusal: (asked) => hooks.refusal?.(asked),
        onCall: (call) => {
          meter.add(call)
          hooks.onCall?.(call)
        },
        onMiss: (reason) => hooks.onMiss?.(reason),
      })
      return {
        ...set,
        session,
        run,
        clocks,
        listen: (given) => {
          hooks = given
        },
        [Symbol.asyncDispose]: async () => {
          await session.settled()
          await meter.close()
          await keep(order, session)
        },
      }
    },
    live: async (organizationId, source) => {
      const set = await providers.of(organizationId)
      const place = { organizationId, jobId: null, trialId: null, attempt: 0, agent: null }
      const session = createModelSession({
        mode: 'live',
        scope: source,
        clocks: [],
        prices: set.prices,
        ...{ upstream, now, makeId },
        onCall: (call) => {
          calls
            .write(place, [call])
            .catch((error) =>
              log.warn({ event: 'model_call.not_written', error }, 'A model call was not metered.'),
            )
        },
      })
      return { ...set, session }
    },
  }
}
