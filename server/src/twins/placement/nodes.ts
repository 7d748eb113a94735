import type { Lease, Leases } from '../../storage/leases.ts'
import type { Log } from '../../storage/log.ts'

const ttlMs = 15_000
export const heartbeatMs = 4_000
export const nodeLease = (holder: string): string => `node:${holder}`

/** A node stops answering from memory this long before others may take its twins over. */
const safetyMs = 1_000

export interface Node {
  readonly holder: string
  readonly isAlone: boolean
  /** Whether this node still holds its lease, by its own monotonic clock. */
  readonly isLeased: () => boolean
  readonly start: () => Promise<void>
  /** The heartbeat: renews the lease. */
  readonly beat: () => Promise<void>
  /** Where another node answers, if it lives. */
  readonly addressOf: (owner: string) => Promise<string | undefined>
  readonly stop: () => Promise<void>
}

/**
 * This process among those that share the database. A node lives while its lease does; twins whose node is dead may be
 * taken over by any other. A node that finds its own lease gone holds nothing any more.
 */
export const openNode = (parts: {
  leases: Leases
  holder: string
  address: () => string
  log: Log
  /** No other process shares the database. */
  isAlone: boolean
  onLost: () => void
}): Node => {
  const { leases, holder, address, log, isAlone, onLost } = parts
  let lease: Lease | undefined
  /** Of the monotonic clock. Counted from before the statement was sent, so it is never later than the database's. */
  let leasedUntil = 0

  const acquire = async () => {
    const sentAt = performance.now()
    lease = await leases.acquire(nodeLease(holder), { holder, ttlMs, data: { address: address() } })
    if (lease) leasedUntil = sentAt + ttlMs - safetyMs
  }

  return {
    holder,
    isAlone,
    isLeased: () => isAlone || performance.now() < leasedUntil,
    start: acquire,
    beat: async (): Promise<void> => {
      const sentAt = performance.now()
      const renewed = lease && (await leases.renew(lease))
      if (renewed) {
        lease = renewed
        leasedUntil = sentAt + ttlMs - safetyMs
        return
      }
      log.warn({ event: 'lease.lost', holder }, 'This node was taken for dead; its twins are restored.')
      onLost()
      await acquire()
    },
    addressOf: async (owner: string): Promise<string | undefined> => {
      const found = await leases.holderOf(nodeLease(owner))
      const data = found?.data
      if (typeof data !== 'object' || data === null || !('address' in data)) return undefined
      return typeof data.address === 'string' && data.address !== '' ? data.address : undefined
    },
    stop: async (): Promise<void> => {
      leasedUntil = 0
      if (lease) await leases.release(lease)
    },
  }
}
