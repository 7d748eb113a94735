import { percent } from '../words.ts'

interface IntervalBarProps {
  readonly rate: number | null
  readonly interval: { readonly low: number; readonly high: number } | null
}

/** A rate with its interval drawn: a dot, and how far it could lie from it. */
export const IntervalBar = ({ rate, interval }: IntervalBarProps) => {
  if (rate === null) return <span className="quiet">Not scored yet</span>
  const label = interval
    ? `${percent(rate)}, between ${percent(interval.low)} and ${percent(interval.high)}`
    : percent(rate)
  return (
    <span className="interval">
      <svg className="interval-bar" viewBox="0 0 140 16" role="img" aria-label={label}>
        <line x1="2" x2="138" y1="8" y2="8" className="interval-axis" />
        {interval ? (
          <line
            x1={2 + interval.low * 136}
            x2={2 + interval.high * 136}
            y1="8"
            y2="8"
            className="interval-range"
          />
        ) : null}
        <circle cx={2 + rate * 136} cy="8" r="4" className="interval-dot" />
      </svg>
      <strong>{percent(rate)}</strong>
      {interval ? (
        <span className="hint">
          {percent(interval.low)}–{percent(interval.high)}
        </span>
      ) : null}
    </span>
  )
}
