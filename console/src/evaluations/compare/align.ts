/** Two lists side by side: what both have in the same order shares a row, the rest gets its own. */
export type Aligned<T> = readonly { readonly a: T | undefined; readonly b: T | undefined }[]

const maxCells = 1_000_000

/** Aligns by the longest common subsequence of keys; lists too long for that are aligned by place. */
export const align = <T>(a: readonly T[], b: readonly T[], keyOf: (item: T) => string): Aligned<T> => {
  if (a.length * b.length > maxCells)
    return Array.from({ length: Math.max(a.length, b.length) }, (_, n) => ({ a: a[n], b: b[n] }))
  const [x, y] = [a.map(keyOf), b.map(keyOf)]
  const width = b.length + 1
  const kept = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => kept[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      kept[i * width + j] = x[i] === y[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const rows: { a: T | undefined; b: T | undefined }[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && x[i] === y[j]) rows.push({ a: a[i++], b: b[j++] })
    else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1)))
      rows.push({ a: a[i++], b: undefined })
    else rows.push({ a: undefined, b: b[j++] })
  }
  return rows
}
