import { percent } from '../../words.ts'

const width = 72
const height = 20
const edge = 3

/** The pass rates of a suite's runs up to this one, which is the dot at the end. */
export const Sparkline = ({ rates }: { rates: readonly number[] }) => {
  const last = rates.at(-1)
  if (last === undefined) return <span className="quiet">–</span>
  const step = rates.length > 1 ? (width - 2 * edge) / (rates.length - 1) : 0
  const x = (index: number) => (rates.length > 1 ? edge + index * step : width - edge)
  const y = (rate: number) => height - edge - rate * (height - 2 * edge)
  const label = `Pass rates of the suite, oldest first: ${rates.map(percent).join(', ')}`
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={rates.map((rate, index) => `${x(index)},${y(rate)}`).join(' ')} />
      <circle cx={x(rates.length - 1)} cy={y(last)} r="2.5" />
    </svg>
  )
}
