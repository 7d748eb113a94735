import type { AgentRunResult } from '@diorama/contract'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useScale } from '../scale.ts'
import { useColours } from '../theme.ts'
import { percent } from '../words.ts'
import { plotToken, tickSteps, tickTimes } from './plot-parts.ts'

/** Suites that are distinguished by colour and by the order of the legend; more would be noise. */
const tints = ['--accent', '--chat', '--crm', '--erp', '--tracker', '--fail']

interface Series {
  readonly name: string
  readonly points: readonly AgentRunResult[]
}

const seriesOf = (results: readonly AgentRunResult[]): readonly Series[] =>
  [...Map.groupBy(results, ({ task_suite_id }) => task_suite_id).values()]
    .slice(0, tints.length)
    .map((points) => ({ name: points[0]?.task_suite_name ?? 'deleted suite', points }))

/** The pass rate of each suite over time. */
export const RatePlot = ({ results }: { results: readonly AgentRunResult[] }) => {
  const place = useRef<HTMLDivElement>(null)
  const scale = useScale()
  const colours = useColours()
  const series = seriesOf(results)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read anew when the theme changes.
  useEffect(() => {
    const box = place.current
    if (!box) return
    const drawn = seriesOf(results)
    const times = [
      ...new Set(drawn.flatMap(({ points }) => points.map(({ finished_at }) => finished_at))),
    ].sort()
    const height = Math.round(180 * scale)
    const axis = {
      stroke: plotToken('--ink-3'),
      grid: { stroke: plotToken('--line'), width: 1 },
      ticks: { show: false },
      font: `${Math.round(11 * scale)}px Inter Variable`,
    }
    const plot = new uPlot(
      {
        width: box.clientWidth,
        height,
        legend: { show: false },
        scales: { x: { time: true }, y: { range: [0, 1.05] } },
        axes: [
          {
            ...axis,
            size: 30 * scale,
            space: 90 * scale,
            incrs: tickSteps,
            values: (_plot, ticks) => tickTimes(ticks),
          },
          {
            ...axis,
            size: 52 * scale,
            values: (_plot, ticks) => ticks.map((tick) => (tick > 1 ? '' : percent(tick))),
          },
        ],
        series: [
          {},
          ...drawn.map((_, index) => {
            const color = plotToken(tints[index] ?? '--ink-3')
            return {
              stroke: color,
              width: 1.5,
              spanGaps: true,
              points: { show: true, size: 6 * scale, fill: color },
            }
          }),
        ],
      },
      [
        times.map((at) => Date.parse(at) / 1_000),
        ...drawn.map(({ points }) =>
          times.map((at) => points.find(({ finished_at }) => finished_at === at)?.pass_rate ?? null),
        ),
      ],
      box,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
    resized.observe(box)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [results, scale, colours])
  return (
    <figure>
      <div
        ref={place}
        className="plot"
        role="img"
        aria-label={`Pass rates of ${results.length} results: ${series
          .map(({ name, points }) => `${name} ${percent(points[0]?.pass_rate)} now`)
          .join(', ')}`}
      />
      <figcaption className="plot-legend hint">
        {series.map(({ name }, index) => (
          <span key={name}>
            <span className="plot-key" style={{ background: `var(${tints[index]})` }} /> {name}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
