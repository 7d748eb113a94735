export type MakeId = (prefix: string) => string

export interface IdSources {
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeDigits = 10
const counterDigits = 8
const chanceDigits = 8
const blockBytes = 1_024

/**
 * Ids such as `wld_06d3…`: 48 bits of milliseconds, a 40-bit counter and 40 random bits, in Crockford's
 * base 32. Within a process each id sorts after the one before it, also within a millisecond and when the
 * clock steps back; the random bits make the neighbour of a known id unguessable.
 */
export const makeIds = ({ now, random }: IdSources): MakeId => {
  let lastMs = -1
  let time = ''
  const counter = new Uint8Array(counterDigits)
  const draw = drawFrom(random)

  const enter = (ms: number): void => {
    lastMs = ms
    time = encodeTime(ms)
    for (let place = 0; place < counterDigits; place++) counter[place] = draw()
    // It starts in its lower half, which leaves room for 2^39 ids before it could run over.
    counter[0] = (counter[0] ?? 0) & 15
  }

  return (prefix) => {
    const ms = now()
    if (ms > lastMs) enter(ms)
    else increment(counter)
    return `${prefix}_${time}${spell(counter)}${randomDigits(draw)}`
  }
}

/** One random digit at a time, asked of the source by the block: a call for each id costs more than the id. */
const drawFrom = (random: (bytes: number) => Uint8Array): (() => number) => {
  let block = new Uint8Array()
  let next = 0
  return () => {
    if (next >= block.length) {
      block = Uint8Array.from(random(blockBytes))
      next = 0
    }
    return (block[next++] ?? 0) & 31
  }
}

const randomDigits = (draw: () => number): string => {
  let text = ''
  for (let place = 0; place < chanceDigits; place++) text += alphabet[draw()]
  return text
}

const spell = (values: Uint8Array): string => {
  let text = ''
  for (const value of values) text += alphabet[value]
  return text
}

const encodeTime = (ms: number): string => {
  let text = ''
  let rest = ms
  for (let place = 0; place < timeDigits; place++) {
    text = alphabet[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

const increment = (counter: Uint8Array): void => {
  for (let place = counter.length - 1; place >= 0; place--) {
    const value = counter[place] ?? 0
    counter[place] = (value + 1) & 31
    if (value < 31) return
  }
}
