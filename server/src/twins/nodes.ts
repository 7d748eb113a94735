import type { Lease, Leases } from '../storage/leases.ts'
import type { Log } from '../storage/log.ts'

const ttlMs = 15_000
export const heartbeatMs = 4_000
export const nodeLease = (holder: string): string => `node:${holder}`

/**
 * This process among those that share the database. A node lives while its lease does; twins whose node is dead may be
 * taken over by any other. A node that finds its own lease gone holds nothing any more.
 */
export const openNode = (parts: {
  leases: Leases
  holder: string
  address: () => string
  log: Log
  onLost: () => void
}) => {
  const { leases, holder, address, log, onLost } = parts
  let lease: Lease | undefined

  const acquire = async () => {
    lease = await leases.acquire(nodeLease(holder), { holder, ttlMs, data: { address: address() } })
  }

  return {
    holder,
    start: acquire,
    beat: async (): Promise<void> => {
      const renewed = lease && (await leases.renew(lease))
      if (renewed) {
        lease = renewed
        return
      }
      log.warn({ holder }, 'This node was taken for dead; its twins are read anew.')
      onLost()
      await acquire()
    },
    /** Where another node answers, if it lives. */
    addressOf: async (owner: string): Promise<string | undefined> => {
      const found = await leases.holderOf(nodeLease(owner))
      const data = found?.data
      if (typeof data !== 'object' || data === null || !('address' in data)) return undefined
      return typeof data.address === 'string' && data.address !== '' ? data.address : undefined
    },
    stop: async (): Promise<void> => {
      if (lease) await leases.release(lease)
    },
  }
}
export type Node = ReturnType<typeof openNode>
