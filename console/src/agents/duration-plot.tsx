import type { AgentRun } from '@diorama/contract'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useScale } from '../scale.ts'
import { useColours } from '../theme.ts'
import { duration } from '../words.ts'
import { plotToken, tickSteps, tickTimes } from './plot-parts.ts'

/** How long each run took, in the order of time; failed ones apart. */
export const DurationPlot = ({ runs }: { runs: readonly AgentRun[] }) => {
  const place = useRef<HTMLDivElement>(null)
  const scale = useScale()
  const colours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read anew when the theme changes.
  useEffect(() => {
    const box = place.current
    if (!box) return
    const height = Math.round(160 * scale)
    const timed = runs
      .filter(({ duration_ms }) => duration_ms !== null)
      .toSorted((a, b) => a.started_at.localeCompare(b.started_at))
    const of = (wanted: boolean) =>
      timed.map((run) => ((run.status === 'succeeded') === wanted ? run.duration_ms : null))
    const dots = (color: string, fill: string) => ({
      stroke: color,
      width: 0,
      points: { show: true, size: 7 * scale, width: 2 * scale, fill, stroke: color },
    })
    const [pass, fail] = [plotToken('--pass'), plotToken('--fail')]
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
        scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(high, 1) * 1.1] } },
        axes: [
          {
            ...axis,
            size: 30 * scale,
            space: 90 * scale,
            incrs: tickSteps,
            values: (_plot, ticks) => tickTimes(ticks),
          },
          { ...axis, size: 64 * scale, values: (_plot, ticks) => ticks.map((tick) => duration(tick)) },
        ],
        series: [{}, dots(pass, pass), dots(fail, plotToken('--ground'))],
      },
      [timed.map(({ started_at }) => Date.parse(started_at) / 1_000), of(true), of(false)],
      box,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
    resized.observe(box)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [runs, scale, colours])
  const failed = runs.filter(({ status }) => status === 'failed').length
  return (
    <figure>
      <div
        ref={place}
        className="plot"
        role="img"
        aria-label={`Durations of ${runs.length} runs, ${failed} of them failed`}
      />
      <figcaption className="hint">
        Duration of each run: full dots succeeded, hollow ones failed or were cancelled.
      </figcaption>
    </figure>
  )
}
