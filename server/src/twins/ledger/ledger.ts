import type pg from 'pg'
import { isRowFault } from '../../storage/failure.ts'
import { FairWriter } from '../../storage/writers/fair-writer.ts'
import { inTurns } from '../../storage/writers/in-turns.ts'
import { type LedgerEntry, type LedgerTwin, type ReadParts, replyText } from './ledger-entry.ts'
import { createKnownPayloads, packed } from './payloads.ts'
import {
  deliveryColumns,
  insertEmittingWrites,
  insertReads,
  insertWrites,
  type NewPayload,
  type QueuedRead,
  readColumns,
  writeColumns,
} from './step-columns.ts'

export class StepLost extends Error {
  override readonly name = 'StepLost'
}

const readsGatherMs = 25
/** Handing a text to the thread pool takes a fraction of a millisecond; a whole batch in one turn would stop the loop. */
const packedAtOnce = 8
const maxBatchItems = 256
const maxBatchBytes = 262_144

/** Pending bytes, queued or being written, above which a caller waits. */
interface Bounds {
  readonly twin: number
  readonly organization: number
  readonly all: number
}
const writeBounds: Bounds = { twin: 4 << 20, organization: 16 << 20, all: 64 << 20 }
const readBounds: Bounds = { twin: 2 << 20, organization: 8 << 20, all: 32 << 20 }
const maxRoomWaits = 1_000

/**
 * The ledger. Writes and the records of reads have their own queues: a write is durable when its promise resolves and
 * depends on nothing but the writes of its twin before it. Sequence numbers are unique within a twin's life, so two nodes
 * can never both extend it.
 */
export interface Ledger {
  /** `sent` is the body of the reply, for a read whose record does not repeat it. */
  readonly append: (entry: LedgerEntry, sent?: string) => Promise<void>
  /** Whether so much of this twin's reads waits to be recorded that the next one should wait for its record. */
  readonly readsCongested: (twin: LedgerTwin) => boolean
  /** Resolves when the twin may take another request; false where there is no room in time. Undefined: at once. */
  readonly room: (twin: LedgerTwin) => Promise<boolean> | undefined
  /** Resolves when the twin's writes so far are durable or refused. Undefined: at once. */
  readonly settled: (twin: LedgerTwin) => Promise<void> | undefined
  /** Whether nothing of this twin waits to be written. */
  readonly isIdle: (twin: LedgerTwin) => boolean
  readonly queued: { readonly writes: number; readonly reads: number; readonly bytes: number }
  /** Resolves when every step so far, of these twins or of all, is in the ledger or was refused. */
  readonly flush: (twinIds?: readonly string[]) => Promise<void>
  readonly drain: () => Promise<void>
}

export const openLedger = (pool: pg.Pool, recorded: (entries: readonly LedgerEntry[]) => void): Ledger => {
  const writes = new FairWriter<LedgerEntry>({
    ...scheduling,
    streamOf: ({ twin }) => twin.stream,
    concurrency: 2,
    flush: async (entries) => {
      if (entries.some(({ twin }) => twin.lost))
        throw new StepLost('an earlier step of this twin was not written')
      try {
        await pool.query(statementFor(entries))
      } catch (error) {
        // A batch with a bad row is tried twin by twin; otherwise it is unknown what was written, and memory is not to be trusted.
        if (!isRowFault(error) || entries.length === 1) for (const { twin } of entries) twin.lost = true
        throw error
      }
      recorded(entries)
    },
  })
  const reads = openReadRecords(pool, recorded)
  const isOver = (
    writer: Pick<FairWriter<unknown>, 'bytes' | 'streamBytes' | 'tenantBytes'>,
    twin: LedgerTwin,
    bounds: Bounds,
  ): boolean =>
    writer.streamBytes(bounds === writeBounds ? twin.stream : twin.id) > bounds.twin ||
    writer.tenantBytes(twin.organizationId) > bounds.organization ||
    writer.bytes > bounds.all
  const waitForRoom = async (twin: LedgerTwin): Promise<boolean> => {
    for (let n = 0; n < maxRoomWaits; n++) {
      await writes.nextFlush()
      if (!isOver(writes, twin, writeBounds)) return true
    }
    return false
  }
  /** The streams of twins that share one with others, for as long as something of them is being written. */
  const shared = new Map<string, string>()
  const write = (entry: LedgerEntry): Promise<void> => {
    const written = writes.write(entry)
    const { id, stream } = entry.twin
    if (stream === id) return written
    shared.set(id, stream)
    const forget = () => {
      if (writes.streamBytes(stream) === 0) shared.delete(id)
    }
    written.then(forget, forget)
    return written
  }
  return {
    append: (entry, sent = '') => (entry.read ? reads.append(entry, entry.read, sent) : write(entry)),
    readsCongested: (twin) => isOver(reads.writer, twin, readBounds),
    room: (twin) => (isOver(writes, twin, writeBounds) ? waitForRoom(twin) : undefined),
    settled: ({ stream }) => writes.newest(stream)?.catch(() => undefined),
    isIdle: ({ id, stream }) => writes.streamBytes(stream) + reads.writer.streamBytes(id) === 0,
    get queued() {
      return {
        writes: writes.queued,
        reads: reads.writer.queued,
        bytes: writes.bytes + reads.writer.bytes,
      }
    },
    flush: async (twinIds) => {
      const streams = twinIds?.map((id) => shared.get(id) ?? id)
      await Promise.all([writes.flush(streams), reads.writer.flush(twinIds)])
    },
    drain: async () => {
      await Promise.all([writes.drain(), reads.writer.drain()])
    },
  }
}

/** Most batches emit nothing, and pay nothing for the outbox. */
const statementFor = (entries: readonly LedgerEntry[]) =>
  entries.some(({ deliveries }) => deliveries.length > 0)
    ? {
        name: 'ledger-emitting-writes',
        text: insertEmittingWrites,
        values: [...writeColumns(entries), ...deliveryColumns(entries)],
      }
    : { name: 'ledger-writes', text: insertWrites, values: writeColumns(entries) }

const scheduling = {
  tenantOf: ({ twin }: LedgerEntry) => twin.organizationId,
  bytesOf: ({ bytes }: LedgerEntry) => bytes,
  maxBatchItems,
  maxBatchBytes,
  isItemFault: isRowFault,
}

/** The records of reads: payloads are deduplicated by content on arrival and compressed off the event loop. */
const openReadRecords = (pool: pg.Pool, recorded: (entries: readonly LedgerEntry[]) => void) => {
  const known = createKnownPayloads()
  const writer = new FairWriter<QueuedRead>({
    ...scheduling,
    streamOf: ({ entry }) => entry.twin.id,
    tenantOf: ({ entry }) => entry.twin.organizationId,
    bytesOf: ({ entry, exchange, reply }) =>
      entry.bytes + (exchange.text?.length ?? 0) + (reply.text?.length ?? 0),
    concurrency: 2,
    gatherMs: readsGatherMs,
    flush: async (reads) => {
      try {
        const payloads = await inTurns(reads.flatMap(newPayloads), packedAtOnce, packedPayload)
        await pool.query({ name: 'ledger-reads', text: insertReads, values: readColumns(reads, payloads) })
      } catch (error) {
        known.forgetAll()
        throw error
      }
      recorded(reads.map(({ entry }) => entry))
    },
  })
  return {
    writer,
    append: (entry: LedgerEntry, read: ReadParts, sent: string): Promise<void> => {
      const { request, headers, encoding, body, sha256, replySize } = read
      const { id } = entry.twin
      return writer.write({
        entry: { ...entry, read: null },
        exchange: known.exchange(id, request, headers),
        reply: known.reply(id, sha256, () => replyText(encoding, body ?? sent)),
        replySize,
      })
    },
  }
}

interface PayloadText {
  readonly twinId: string
  readonly sha256: Uint8Array
  readonly text: string
}

const newPayloads = ({ entry, exchange, reply }: QueuedRead): PayloadText[] =>
  [exchange, reply].flatMap(({ sha256, text }) =>
    text === undefined ? [] : [{ twinId: entry.twin.id, sha256, text }],
  )

const packedPayload = async ({ twinId, sha256, text }: PayloadText): Promise<NewPayload> => ({
  twinId,
  sha256,
  body: await packed(text),
})
