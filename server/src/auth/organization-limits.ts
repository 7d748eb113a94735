import { defaultLimits, type Limits } from '@diorama/contract'
import { BoundedCache } from '../storage/bounded-cache.ts'
import type { Wake } from '../storage/wake.ts'
import { keysChanged } from './authenticate.ts'
import type { AuthStore } from './store.ts'

export interface OrganizationLimits {
  /** At once when they were read before; limits that change are read again everywhere. */
  read(organizationId: string): Limits | Promise<Limits>
  close(): void
}

const maxCached = 10_000

/** The limits of organizations whose twins are called: such a request has a vendor's token and no API key. */
export const openOrganizationLimits = ({
  store,
  wake,
}: {
  store: AuthStore
  wake: Wake
}): OrganizationLimits => {
  let cache = new BoundedCache<Limits>({ most: maxCached })
  const stopListening = wake.on(keysChanged, () => {
    cache = new BoundedCache<Limits>({ most: maxCached })
  })
  const look = async (organizationId: string): Promise<Limits> => {
    const readInto = cache
    const limits = (await store.findOrganization(organizationId))?.limits ?? defaultLimits
    readInto.set(organizationId, limits)
    return limits
  }
  return {
    read: (organizationId) => cache.get(organizationId) ?? look(organizationId),
    close: stopListening,
  }
}
