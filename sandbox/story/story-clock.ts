/**
 * The story's time inside a trial. Programs see it through a preload (`preload/story/story-time.c`) in a page that is
 * written here; the launcher reports when the trial is idle (`inside/story.py`), and then the story moves on to the
 * earliest deadline of its waits.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** Who keeps the story's time. */
export interface StorySource {
  /** The story's now, in milliseconds since 1970. */
  readonly now: () => number
  /**
   * Moves the story on by so much, or by less where something comes due on the way that the trial must hear of first,
   * or where the signal says that the trial is not idle any more. Resolves with how far it was moved, when what came due
   * is done.
   */
  readonly advance: (ms: number, signal: AbortSignal) => Promise<number>
  /** Programs can see that the story has moved, and no wait of theirs is over yet. */
  readonly moved?: () => Promise<void>
  /** The story could not be moved: the platform failed, and the trial cannot go on. */
  readonly onFailure: (error: unknown) => void
}

/** One trial's view of the story. */
export interface StoryClock extends AsyncDisposable {
  /** The file that programs map. */
  readonly path: string
  /** Shows the story's present time; before a reply leaves, so that its reader sees the time after it. */
  show(): void
  /** Something of the trial is under way at the gateway, such as a request: until it ends, no wait is over. */
  begin(): void
  end(): void
  /** Something has just happened at the gateway: an idle trial is looked at once more before its story moves. */
  touch(): void
  /** The trial is idle until a deadline so far away. Resolves when the launcher shall look again; never rejects. */
  idleUntil(nanoseconds: number): Promise<void>
}

/** Spells STOYTIME in memory. */
const magic = 0x454d4954594f5453n
const pageBytes = 48
const nsPerMs = 1_000_000
/** Where CLOCK_MONOTONIC begins: as on a machine that was started a while ago. */
const firstMonotonicMs = 1_000_000
/** A request that has left its program may not have been read here yet. */
const settleMs = 2
/** No program needs to wait longer at once; one that claims to is asked again. */
const maxAdvanceMs = 366 * 86_400_000

let opened = 0

export const openStoryClock = (source: StorySource): StoryClock => {
  opened++
  const path = join(tmpdir(), `diorama-story-${process.pid}-${opened}`)
  return new PagedClock(path, source)
}

class PagedClock implements StoryClock {
  readonly path: string
  readonly #source: StorySource
  readonly #file: number
  readonly #page = Buffer.alloc(pageBytes)
  #version = 0n
  #monotonicMs = firstMonotonicMs
  #underWay = 0
  /** How many things have begun so far: tells whether one began while we looked away. */
  #begun = 0
  /** How many had begun when the launcher was last answered. */
  #begunAtAnswer = 0
  #idle: PromiseWithResolvers<void> | undefined
  #isClosed = false
  /** While the new time is shown and no wait may end by it yet. */
  #isHeld = false
  /** Aborted when something of the trial begins while the story is to be moved. */
  #advancing: AbortController | undefined

  constructor(path: string, source: StorySource) {
    this.path = path
    this.#source = source
    this.#file = openSync(path, 'w', 0o644)
    this.show()
  }

  show(): void {
    if (this.#isClosed) return
    this.#version++
    const monotonic = BigInt(Math.round(this.#monotonicMs * nsPerMs))
    const realtime = BigInt(Math.round(this.#source.now())) * BigInt(nsPerMs)
    const fields = [magic, this.#version, monotonic, realtime, this.#isHeld ? 1n : 0n]
    fields.forEach((field, n) => {
      this.#page.writeBigUInt64LE(BigInt.asUintN(64, field), n * 8)
    })
    const check = fields.reduce((sum, field) => sum ^ BigInt.asUintN(64, field), 0n)
    this.#page.writeBigUInt64LE(check, pageBytes - 8)
    writeSync(this.#file, this.#page, 0, pageBytes, 0)
  }

  begin(): void {
    this.#underWay++
    this.#begun++
    this.#advancing?.abort()
  }

  end(): void {
    this.#underWay--
    if (this.#underWay > 0) return
    this.#idle?.resolve()
    this.#idle = undefined
  }

  touch(): void {
    this.#begun++
  }

  async idleUntil(nanoseconds: number): Promise<void> {
    if (this.#underWay > 0) {
      this.#idle ??= Promise.withResolvers()
      return this.#idle.promise
    }
    // The launcher may have looked while something was under way that has ended since: its reply is on its way back.
    // It looks again when it has our answer, which comes after that reply.
    if (this.#begun !== this.#begunAtAnswer) {
      this.#begunAtAnswer = this.#begun
      return
    }
    const begun = this.#begun
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    // After a stall the timer may be due before what has arrived meanwhile was read.
    await setImmediate()
    await setImmediate()
    if (this.#begun !== begun || this.#isClosed) return
    const wantedMs = Math.ceil(nanoseconds / nsPerMs)
    if (!(wantedMs > 0)) return
    const advancing = new AbortController()
    this.#advancing = advancing
    try {
      this.#monotonicMs += await this.#source.advance(Math.min(wantedMs, maxAdvanceMs), advancing.signal)
      await this.#announce()
    } catch (error) {
      this.#source.onFailure(error)
    } finally {
      this.#advancing = undefined
    }
  }

  /** A wait that looks around on its own, as each does once a second, must not end before others have heard. */
  async #announce(): Promise<void> {
    this.#isHeld = this.#source.moved !== undefined
    this.show()
    try {
      await this.#source.moved?.()
    } finally {
      if (this.#isHeld) {
        this.#isHeld = false
        this.show()
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#idle?.resolve()
    closeSync(this.#file)
    await rm(this.path, { force: true })
  }
}
