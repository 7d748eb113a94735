import type { Span, TrialStep } from '@diorama/contract'
import { useState } from 'react'
import { serviceName } from '../../parts/service.tsx'
import { duration } from '../../words.ts'
import { hasFailed, mutationsOf, stepWord } from './steps.ts'

interface Bar {
  readonly key: string
  readonly label: string
  readonly from: number
  readonly ms: number
  readonly tone: string
  readonly step?: number
}

const toneOf = (step: TrialStep): string =>
  hasFailed(step) ? 'fail' : stepWord(step, 'service') || step.kind

const barOf = (step: TrialStep, index: number, start: number): Bar => ({
  key: `${index}`,
  label: `${step.name}, ${duration(step.duration_ms)}`,
  from: Date.parse(step.started_at) - start,
  ms: step.duration_ms,
  tone: toneOf(step),
  step: index,
})

const isModelCall = ({ gen_ai }: Span) =>
  gen_ai !== null && gen_ai.model !== null && gen_ai.tool_name === null

const isModelStep = ({ kind }: TrialStep) => kind === 'model_call'

/** What ran, which model was called, what was requested and what it changed: four lanes of one time. */
const lanesOf = (
  steps: readonly TrialStep[],
  spans: readonly Span[],
  start: number,
): readonly (readonly [string, readonly Bar[]])[] => {
  const of = (wanted: (step: TrialStep) => boolean) =>
    steps.flatMap((step, index) => (wanted(step) ? [barOf(step, index, start)] : []))
  const metered = of(isModelStep).map((bar) => ({ ...bar, tone: bar.tone === 'fail' ? 'fail' : 'model' }))
  // An agent that reaches models outside of the gateway can still report them as spans.
  const calls = spans.filter(isModelCall).map((span) => ({
    key: span.span_id,
    label: `${span.gen_ai?.model ?? span.name}, ${duration(span.duration_ms)}`,
    from: Date.parse(span.started_at) - start,
    ms: span.duration_ms ?? 0,
    tone: 'model',
  }))
  return [
    ['Process', of((step) => step.kind !== 'tool_call' && !isModelStep(step))],
    ['Model calls', metered.length > 0 ? metered : calls],
    ['Requests', of(({ kind }) => kind === 'tool_call')],
    ['Changes', of((step) => mutationsOf(step).length > 0)],
  ]
}

interface LanesProps {
  readonly steps: readonly TrialStep[]
  readonly spans: readonly Span[]
  readonly open: string | undefined
  readonly onOpen: (index: number) => void
}

const zooms = [1, 2, 4, 8, 16]

export const Lanes = ({ steps, spans, open, onOpen }: LanesProps) => {
  const [zoom, setZoom] = useState(1)
  if (steps.length === 0) return null
  const start = Math.min(...steps.map(({ started_at }) => Date.parse(started_at)))
  const end = Math.max(...steps.map(({ started_at, duration_ms }) => Date.parse(started_at) + duration_ms))
  const length = Math.max(end - start, 1)
  const lanes = lanesOf(steps, spans, start)
  return (
    <figure className="lanes">
      <figcaption className="section-head">
        <h2>Timeline</h2>
        <span className="chips">
          <span className="hint">Zoom</span>
          {zooms.map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={zoom === one}
              onClick={() => setZoom(one)}
            >
              {one}×
            </button>
          ))}
        </span>
      </figcaption>
      <div className="lanes-frame">
        <div className="lanes-names">
          {lanes.map(([name]) => (
            <span key={name}>{name}</span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
        <section className="lanes-scroller" tabIndex={0} aria-label="Time axis">
          <div className="lanes-all" style={{ width: `${zoom * 100}%` }}>
            {lanes.map(([name, bars]) => (
              <div key={name} className="lane">
                {bars.map((bar) => (
                  <LaneBar
                    key={bar.key}
                    bar={bar}
                    length={length}
                    open={open}
                    onOpen={onOpen}
                    isTick={name === 'Changes'}
                  />
                ))}
              </div>
            ))}
            <div className="lanes-axis" aria-hidden="true">
              {roundTicks(length, maxTicks * zoom).map((ms) => (
                <span key={ms} style={{ left: `${(ms / length) * 100}%` }}>
                  {duration(ms)}
                </span>
              ))}
            </div>
          </div>
        </section>
      </div>
      <Legend steps={steps} />
    </figure>
  )
}

const maxTicks = 8
const roundSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000,
]

/** Round times along the axis, about as many as fit. */
const roundTicks = (length: number, most: number): readonly number[] => {
  const step = roundSteps.find((one) => length / one <= most) ?? 1_800_000
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step)
}

const legend = [
  ['setup', 'platform'],
  ['agent', 'agent process'],
  ['model', 'model call'],
  ['fail', 'failed or refused'],
] as const

/** What the colours mean; services have the tints they have everywhere. */
const Legend = ({ steps }: { steps: readonly TrialStep[] }) => {
  const services = [...new Set(steps.map((step) => stepWord(step, 'service')).filter(Boolean))]
  return (
    <p className="lanes-legend hint">
      {[...legend, ...services.map((service) => [service, serviceName(service)] as const)].map(
        ([tone, name]) => (
          <span key={tone}>
            <span className={`plot-key tone-${tone}`} /> {name}
          </span>
        ),
      )}
    </p>
  )
}

interface LaneBarProps {
  readonly bar: Bar
  readonly length: number
  readonly open: string | undefined
  readonly onOpen: (index: number) => void
  readonly isTick: boolean
}

const LaneBar = ({ bar, length, open, onOpen, isTick }: LaneBarProps) => {
  const { step } = bar
  const isOpen = step !== undefined && open === String(step)
  return (
    <button
      type="button"
      className={`lane-bar tone-${bar.tone} ${isOpen ? 'is-open' : ''} ${isTick ? 'is-tick' : ''}`}
      style={{
        left: `${(bar.from / length) * 100}%`,
        width: isTick ? undefined : `${(bar.ms / length) * 100}%`,
      }}
      title={bar.label}
      aria-label={isTick ? `Change by ${bar.label}` : bar.label}
      onClick={() => (step === undefined ? undefined : onOpen(step))}
    />
  )
}
