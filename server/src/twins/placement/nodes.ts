import type { Lease, Leases } from '../../storage/leases.ts'
import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'

const ttlMs = 15_000
export const heartbeatMs = 4_000
export const nodeLease = (holder: string): string => `node:${holder}`

/** A node stops answering from memory this long before others may take its twins over. */
const safetyMs = 1_000

/**
 * News from the database is heard once in each turn of the event loop. After a turn that was longer than this, a node
 * first hears whether it was taken for dead.
 */
const maxTurnMs = 700
const turnMs = 100

export interface Node {
  readonly holder: string
  readonly isAlone: boolean
  /** Whether this node still holds its lease, by its own monotonic clock, and has heard nothing else. */
  readonly isLeased: () => boolean
  /** Hears the news that has come in, and renews the lease where it may be lost; resolves to whether it is held. */
  readonly confirm: () => Promise<boolean>
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
  wake: Pick<Wake, 'showPresence' | 'onLost' | 'isListening'>
  holder: string
  address: () => string
  log: Log
  /** No other process shares the database. */
  isAlone: boolean
  onLost: () => void
}): Node => {
  const { leases, wake, holder, address, log, isAlone, onLost } = parts
  let lease: Lease | undefined
  /** Of the monotonic clock. Counted from before the statement was sent, so it is never later than the database's. */
  let leasedUntil = 0
  let heardAt = performance.now()
  /** How often the connection was lost by which others see this node, and how often when it last renewed its lease. */
  let losses = 0
  let knownLosses = 0
  let listening: NodeJS.Timeout | undefined
  let beating: Promise<void> | undefined
  wake.onLost(() => {
    losses++
    if (!isAlone) onLost()
  })

  const acquire = async () => {
    const [sentAt, sentLosses] = [performance.now(), losses]
    if (!isAlone) await wake.showPresence(nodeLease(holder))
    const data = { address: address(), isShown: !isAlone, readsSealedTokens: true }
    lease = await leases.acquire(nodeLease(holder), { holder, ttlMs, data })
    if (lease) held(sentAt, sentLosses)
  }
  const held = (sentAt: number, sentLosses: number): void => {
    leasedUntil = sentAt + ttlMs - safetyMs
    knownLosses = sentLosses
  }
  const renew = async (): Promise<void> => {
    const [sentAt, sentLosses] = [performance.now(), losses]
    const renewed = lease && (await leases.renew(lease))
    if (renewed) {
      lease = renewed
      return held(sentAt, sentLosses)
    }
    log.warn({ event: 'lease.lost', holder }, 'This node was taken for dead; its twins are restored.')
    onLost()
    await acquire()
  }
  /** One at a time: of two that find the lease lost, the second would be refused the lease that the first has just taken. */
  const beat = (): Promise<void> => {
    beating ??= renew().finally(() => {
      beating = undefined
    })
    return beating
  }
  const isLeased = (): boolean => {
    if (isAlone) return true
    const now = performance.now()
    return now < leasedUntil && now - heardAt < maxTurnMs && losses === knownLosses && wake.isListening()
  }
  /** A turn of the event loop in which what has come in from the database is read. */
  const hear = async (): Promise<void> => {
    await nextTurn()
    await nextTurn()
    heardAt = performance.now()
  }

  return {
    holder,
    isAlone,
    isLeased,
    confirm: async () => {
      if (isLeased()) return true
      await hear()
      if (!isLeased() && lease && wake.isListening()) await beat()
      return isLeased()
    },
    start: async () => {
      await acquire()
      if (!isAlone) listening = setInterval(hear, turnMs).unref()
    },
    beat,
    addressOf: async (owner: string): Promise<string | undefined> => {
      const found = await leases.holderOf(nodeLease(owner))
      const data = found?.data
      if (typeof data !== 'object' || data === null || !('address' in data)) return undefined
      return typeof data.address === 'string' && data.address !== '' ? data.address : undefined
    },
    stop: async (): Promise<void> => {
      clearInterval(listening)
      leasedUntil = 0
      if (lease) await leases.release(lease)
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
