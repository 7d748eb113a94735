export interface Parted {
  readonly before: string
  readonly changed: string
  readonly after: string
}

/** Where two lines begin to differ and where they agree again, in whole words. */
export const wordDiff = (was: string, is: string): readonly [Parted, Parted] => {
  const a = was.split(/(?<=\s)/)
  const b = is.split(/(?<=\s)/)
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const part = (words: readonly string[]): Parted => ({
    before: words.slice(0, head).join(''),
    changed: words.slice(head, words.length - tail).join(''),
    after: words.slice(words.length - tail).join(''),
  })
  return [part(a), part(b)]
}
