import type { Instance } from '@diorama/twin-kit/kernel/instance'
import { createScene, type SceneOrder } from '@diorama/twin-kit/variations/scene'
import type {
  AttackGoal,
  Plant,
  Secret,
  VariedAct,
  Withholdable,
} from '@diorama/twin-kit/variations/variations'

/** What a variant asks a twin to plan for the world as it is now. */
export type VariationAsk =
  | { readonly part: 'noise' | 'drift' }
  | { readonly part: 'attacks'; readonly marker: string }
  | { readonly part: 'plants'; readonly text: string }
  | { readonly part: 'permissions' }

/** The parts that were asked for; undefined where the twin does not have them. */
export interface Varied {
  readonly acts?: readonly VariedAct[] | undefined
  readonly goals?: readonly AttackGoal[] | undefined
  readonly secrets?: readonly Secret[] | undefined
  readonly plants?: readonly Plant[] | undefined
  readonly permissions?: readonly Withholdable[] | undefined
}

export const varied = (instance: Instance, order: SceneOrder, ask: VariationAsk): Varied => {
  const { variations } = instance.twin
  if (!variations) return {}
  const scene = createScene(instance, order)
  switch (ask.part) {
    case 'noise':
    case 'drift':
      return { acts: variations[ask.part]?.(scene) }
    case 'attacks':
      return {
        goals: variations.goals?.(scene, ask.marker),
        secrets: variations.secrets?.(scene),
        plants: variations.plants?.(scene, ''),
      }
    case 'plants':
      return { plants: variations.plants?.(scene, ask.text) }
    case 'permissions':
      return { permissions: variations.permissions?.withholdable(scene) }
  }
}
