import type { Instance } from '@diorama/twins/kernel/instance'
import { serviceText } from '../../scoring/world-file.ts'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import { stateOf } from '../../twins/records.ts'

const mostBytes = 64 * 1_048_576

/**
 * Final states of twins as scorers read them. A twin that nobody changed looks as its seed does, whichever trial it was
 * copied for, so that is written out once a seed.
 */
export const openWorldTexts = () => {
  const untouched = new BoundedCache<Uint8Array>({ most: mostBytes, weigh: ({ length }) => length })
  return {
    of: ({ service, instance }: { service: string; instance: Instance }): Uint8Array => {
      const write = () => serviceText(stateOf(service, instance))
      if (Object.keys(instance.snapshot().tables).length > 0) return write()
      const text = untouched.get(instance.seed.sha256) ?? write()
      untouched.set(instance.seed.sha256, text)
      return text
    },
  }
}
export type WorldTexts = ReturnType<typeof openWorldTexts>
