import type { VariantDetail } from '@diorama/contract'
import { WorldEventBlueprint } from '@diorama/contract/blueprint/moving'
import type { VariedAct } from '@diorama/twin-kit/variations/variations'
import type { VariationAsk, Varied } from '../../twins/isolates/varied.ts'
import { sceneOf, type TrialTraces, type VariationStage } from './variation.ts'

/** Something that a person does in a service to make a variant. */
export interface StagedAct extends VariedAct {
  readonly service: string
  /** After the start of the story; at once when left out. */
  readonly afterMs?: number
}

/** What each service of a world plans for a part of a variant. */
export const askTwins = (
  stage: VariationStage,
  ask: VariationAsk,
): Promise<readonly (Varied & { readonly service: string })[]> =>
  Promise.all(
    stage.twins.map(async (row) => ({
      service: row.service,
      ...(await stage.runtime.host.inspect(row, { what: 'variation', scene: sceneOf(stage), ask })),
    })),
  )

/**
 * Lets people of the world do something, as events of its story: in its order, in its ledger, and on the world's side of
 * every difference, so that neither scorers nor unasked changes hold it against the agent.
 */
export const stageActs = async (
  { clocks, clockId }: VariationStage,
  name: string,
  acts: readonly StagedAct[],
): Promise<void> => {
  if (clockId === null) return
  for (const [n, act] of acts.entries()) {
    let isKept = false
    await clocks.within(clockId, async (world) => {
      if (isKept) return
      const row = await clocks.store.find(clockId)
      const at = new Date(world.now() + (act.afterMs ?? 0)).toISOString()
      const { service, operation, input, as } = act
      const definition = WorldEventBlueprint.parse({
        key: actKey(name, n),
        at,
        as,
        do: [{ service, operation, input }],
      })
      const added = { definition, addedAt: world.now() }
      if (!row) throw new Error(`the clock ${clockId} is gone`)
      await clocks.store.addEvent(clockId, row.life, added)
      isKept = true
      await world.add(added)
    })
  }
}

const actKey = (name: string, n: number): string => `variant-${name}-${n}`

/** What became of the acts, by the ledger. Those whose time did not come are left out. */
export const doneActs = (
  name: string,
  acts: readonly StagedAct[],
  { world }: Pick<TrialTraces, 'world'>,
): VariantDetail['done'] => {
  const byCause = new Map((world?.requests ?? []).map((request) => [request.cause, request]))
  return acts.flatMap(({ service, as, what }, n) => {
    const request = byCause.get(`event:${actKey(name, n)}`)
    return request ? [{ service, by: as, what, refused: request.refused ?? null }] : []
  })
}
