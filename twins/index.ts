import type { AnyManifest } from '@diorama/twin-kit/kernel/manifest'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { installed } from './installed.ts'

/** The running half of a kind: `twin.ts` beside its manifest exports it under the name of the kind. */
const loadTwin = async ({ kind, url }: AnyManifest): Promise<AnyTwin> => {
  const module: Record<string, AnyTwin | undefined> = await import(new URL('./twin.ts', url).href)
  const twin = module[kind]
  if (!twin) throw new Error(`twin.ts of the kind ${kind} exports no twin called ${kind}`)
  return twin
}

/** Every installed twin, in the order of the list. */
export const allTwins: readonly AnyTwin[] = await Promise.all(installed.map(loadTwin))
