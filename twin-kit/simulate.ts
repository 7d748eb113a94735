import assert from 'node:assert/strict'
import { type Changes, invert } from './kernel/diff.ts'
import { Instance } from './kernel/instance.ts'
import type { FrozenSeed } from './kernel/seed.ts'
import { integration, type TwinRequest } from './kernel/twin.ts'

export interface SeededRandom {
  /** From 0 up to 1, without 1. */
  readonly next: () => number
  readonly below: (bound: number) => number
  readonly pick: <T>(items: readonly T[]) => T | undefined
}

/** A seeded random generator: the same numbers for the same seed on any machine (a 32-bit mix of a counter). */
export const seededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    below: (bound: number) => Math.floor(next() * bound),
    pick: <T>(items: readonly T[]): T | undefined => items[Math.floor(next() * items.length)],
  }
}

export interface Simulation {
  readonly seed: FrozenSeed
  readonly randomSeed: number
  readonly steps: number
  /** A request of any kind, sensible or not. */
  readonly request: (random: SeededRandom, token: string) => TwinRequest
}

/**
 * Runs random steps, and now and then takes one of the ways in which a real twin comes back: from a snapshot, from its
 * recorded changes, or by taking a step back. Each must lead to the same state as never having left.
 */
export const simulate = ({
  seed,
  randomSeed,
  steps,
  request,
}: Simulation): { changed: number; digest: string } => {
  const dice = seededRandom(randomSeed)
  const token = seed.twin.token(
    integration,
    '5eed5eed5eed5eed5eed5eed5eed5eed',
    new Instance({ seed, principals: [] }).tables,
  )
  const fresh = () => new Instance({ seed, principals: [{ subject: integration, token }] })
  const says = `with the random seed ${randomSeed}`
  let instance = fresh()
  let ledger: Changes[] = []
  let at = seed.seed.clock
  let changed = 0
  for (let n = 0; n < steps; n++) {
    at += dice.below(5_000)
    const before = dice.below(250) === 0 ? instance.digest() : undefined
    const { due, step, failure } = instance.handle(request(dice, token), at)
    assert.equal(failure, undefined, `${says}, step ${n}: ${String((failure as Error)?.stack)}`)
    const changes = [...(due?.changes ?? []), ...step.changes]
    if (changes.length > 0) changed++
    ledger.push(changes)
    if (before !== undefined) {
      const after = instance.digest()
      instance.apply(invert(changes))
      assert.equal(instance.digest(), before, `${says}, step ${n}: taking it back`)
      instance.apply(changes)
      assert.equal(instance.digest(), after, `${says}, step ${n}: doing it again`)
    }
    if (dice.below(1_000) === 0) {
      const restored = fresh()
      if (dice.below(2) === 0) restored.restore(JSON.parse(JSON.stringify(instance.snapshot())))
      else for (const one of ledger) restored.apply(one)
      assert.equal(restored.digest(), instance.digest(), `${says}, step ${n}: coming back`)
      instance = restored
    }
  }
  ledger = []
  return { changed, digest: instance.digest() }
}
