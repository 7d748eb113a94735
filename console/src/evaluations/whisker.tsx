import { type Interval, points } from './points.ts'

const width = 460
const edge = 14
const onAxis = (share: number) => Math.min(Math.max(share, -1), 1)
const place = (share: number) => edge + ((onAxis(share) + 1) / 2) * (width - 2 * edge)

const labelOf = (difference: number, interval: Interval | null): string =>
  interval
    ? `Difference ${points(difference)}, 95% interval ${points(interval.low)} to ${points(interval.high)}`
    : `Difference ${points(difference)}`

/** The difference as a dot and its interval as a whisker; an end past the axis is an arrow, not an end. */
export const Whisker = ({
  difference,
  interval,
}: {
  difference: number | null
  interval: Interval | null
}) => {
  if (difference === null) return <p className="quiet">Nothing to compare yet.</p>
  return (
    <svg
      className="whisker"
      viewBox={`0 0 ${width} 48`}
      role="img"
      aria-label={labelOf(difference, interval)}
    >
      <line x1={place(-1)} x2={place(1)} y1="18" y2="18" className="interval-axis" />
      <line x1={place(0)} x2={place(0)} y1="4" y2="32" className="whisker-zero" />
      {interval ? <Range interval={interval} /> : null}
      <circle cx={place(difference)} cy="18" r="5" className="interval-dot" />
      {[-1, -0.5, 0, 0.5, 1].map((share) => (
        <text
          key={share}
          x={place(share)}
          y="45"
          className="axis-text"
          textAnchor={share === -1 ? 'start' : share === 1 ? 'end' : 'middle'}
        >
          {share > 0 ? '+' : share < 0 ? '−' : ''}
          {Math.abs(share) * 100}
        </text>
      ))}
    </svg>
  )
}

const Range = ({ interval: { low, high } }: { interval: Interval }) => (
  <>
    <line x1={place(low)} x2={place(high)} y1="18" y2="18" className="interval-range" />
    <End share={low} />
    <End share={high} />
  </>
)

const End = ({ share }: { share: number }) => {
  const x = place(share)
  if (Math.abs(share) <= 1) return <line x1={x} x2={x} y1="12" y2="24" className="interval-end" />
  const way = Math.sign(share)
  return <path d={`M${x + way * 3} 12l${way * 8} 6l${way * -8} 6`} className="interval-arrow" />
}
