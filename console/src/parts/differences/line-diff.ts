export type DiffLine =
  | { readonly kind: 'same' | 'gone' | 'new'; readonly text: string }
  | { readonly kind: 'gap'; readonly count: number }

const maxCells = 400_000
const context = 2

/** The lines that differ between two texts, with a little of what stands around them. */
export const lineDiff = (before: string, after: string): DiffLine[] => {
  const a = before.split('\n')
  const b = after.split('\n')
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: 'same', text }) as const)
  return folded([
    ...same(a.slice(0, head)),
    ...between(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ])
}

/** The longest common run of lines stays; what is too long to look for one is replaced whole. */
const between = (a: readonly string[], b: readonly string[]): DiffLine[] => {
  if (a.length * b.length > maxCells)
    return [
      ...a.map((text) => ({ kind: 'gone', text }) as const),
      ...b.map((text) => ({ kind: 'new', text }) as const),
    ]
  const width = b.length + 1
  const kept = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => kept[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      kept[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const found: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const [gone, fresh] = [a[i], b[j]]
    if (gone !== undefined && gone === fresh) {
      found.push({ kind: 'same', text: gone })
      i++
      j++
    } else if (gone !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      found.push({ kind: 'gone', text: gone })
      i++
    } else {
      found.push({ kind: 'new', text: fresh ?? '' })
      j++
    }
  }
  return found
}

const folded = (lines: readonly DiffLine[]): DiffLine[] => {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(index - context, 0), index + context + 1).some(({ kind }) => kind !== 'same'),
  )
  const found: DiffLine[] = []
  let count = 0
  for (const [index, line] of lines.entries()) {
    if (near[index]) {
      if (count > 0) found.push({ kind: 'gap', count })
      count = 0
      found.push(line)
    } else count++
  }
  if (count > 0) found.push({ kind: 'gap', count })
  return found
}
