import { type Interval, wilson, z95 } from '../interval.ts'

/** A label that a person gave, and the one that the judge gave. */
export interface LabelledPair {
  readonly person: string
  readonly judge: string
}

/** How far two raters agree. */
export interface Agreement {
  readonly labels: readonly string[]
  /** Rows: the person's label. Columns: the judge's. */
  readonly confusion: readonly (readonly number[])[]
  readonly agreement: number | null
  readonly agreementInterval: Interval | null
  readonly kappa: number | null
  readonly kappaInterval: Interval | null
}

/**
 * Agreement, Cohen's kappa and the confusion matrix. The interval of kappa is that of Fleiss, Cohen and Everitt (1969)
 * for large samples. Where both raters gave one label throughout, chance explains everything and kappa has no value.
 */
export const agreementOf = (labels: readonly string[], pairs: readonly LabelledPair[]): Agreement => {
  const count = (person: string, judge: string) =>
    pairs.filter((pair) => pair.person === person && pair.judge === judge).length
  const confusion = labels.map((person) => labels.map((judge) => count(person, judge)))
  const total = pairs.length
  if (total === 0)
    return {
      ...{ labels, confusion, agreement: null, agreementInterval: null, kappa: null, kappaInterval: null },
    }
  const shares = confusion.map((row) => row.map((cell) => cell / total))
  const agreement = sum(shares.map((row, n) => row[n] ?? 0))
  const { kappa, deviation } = kappaOf(shares, total)
  const spread = z95 * (deviation ?? 0)
  return {
    labels,
    confusion,
    agreement,
    agreementInterval: wilson(agreement, total),
    kappa,
    kappaInterval:
      kappa === null ? null : { low: Math.max(-1, kappa - spread), high: Math.min(1, kappa + spread) },
  }
}

const kappaOf = (shares: readonly (readonly number[])[], total: number) => {
  const rows = shares.map(sum)
  const columns = shares.map((_, n) => sum(shares.map((row) => row[n] ?? 0)))
  const observed = sum(shares.map((row, n) => row[n] ?? 0))
  const expected = sum(rows.map((share, n) => share * (columns[n] ?? 0)))
  if (1 - expected < 1e-12) return { kappa: null, deviation: null }
  const kappa = (observed - expected) / (1 - expected)
  const marginal = (row: number, column: number) => (rows[column] ?? 0) + (columns[row] ?? 0)
  const onDiagonal = sum(shares.map((row, n) => (row[n] ?? 0) * (1 - marginal(n, n) * (1 - kappa)) ** 2))
  const beside = sum(
    shares.flatMap((row, i) => row.map((share, j) => (i === j ? 0 : share * marginal(i, j) ** 2))),
  )
  const variance =
    (onDiagonal + (1 - kappa) ** 2 * beside - (kappa - expected * (1 - kappa)) ** 2) /
    (total * (1 - expected) ** 2)
  return { kappa, deviation: Math.sqrt(Math.max(0, variance)) }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
