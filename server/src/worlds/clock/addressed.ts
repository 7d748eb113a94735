import { integration } from '@diorama/twin-kit/kernel/twin'
import type { SeenStep } from '../events/planned.ts'
import type { Addressed, WorldClock } from './world-clock.ts'

/** Who was addressed in a world so far. */
export interface AddressedList {
  readonly note: (step: SeenStep, requestId: string) => void
  readonly shown: Pick<WorldClock, 'addressed' | 'heard'>
}

export interface AddressedDeps {
  /** Nobody asks for it outside of trials, whose length is bounded. */
  readonly isTrial: boolean
  /** Who had been addressed before the world was loaded again. */
  readonly addressed: readonly Addressed[]
  readonly script: { readonly agent: string }
}

export const listAddressed = ({ isTrial, addressed, script }: AddressedDeps): AddressedList => {
  const all = [...addressed]
  const isToAgent = ({ byWorld, notice }: Addressed): boolean =>
    byWorld && (notice.to === script.agent || notice.to === integration)
  const heard = all.filter(isToAgent)
  return {
    note: ({ notices, at, service, cause }, requestId) => {
      if (!isTrial) return
      for (const notice of notices) {
        const one = { at, service, requestId, byWorld: cause !== null, notice }
        all.push(one)
        if (isToAgent(one)) heard.push(one)
      }
    },
    shown: { addressed: () => all, heard: () => heard },
  }
}
