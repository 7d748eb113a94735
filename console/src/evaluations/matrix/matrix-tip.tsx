import type { MatrixTrial } from '@diorama/contract'
import { type RefObject, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { dollars, duration, score } from '../../words.ts'
import { Outcome } from './outcome.tsx'

interface Pointed {
  readonly trial: MatrixTrial
  readonly left: number
  readonly top: number
}

interface MatrixTipProps {
  readonly scroller: RefObject<HTMLElement | null>
  readonly trials: readonly MatrixTrial[]
}

/** One tooltip for all marks of a matrix: score, failing scorer and reason of the one that is pointed at. */
export const MatrixTip = ({ scroller, trials }: MatrixTipProps) => {
  const [pointed, setPointed] = useState<Pointed>()
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const point = (event: Event) => {
      const mark = event.target instanceof Element ? event.target.closest<HTMLElement>('.mark') : null
      const trial = mark && trials.find(({ id }) => id === mark.dataset['trial'])
      if (!trial) return setPointed(undefined)
      const { left, bottom } = mark.getBoundingClientRect()
      setPointed({ trial, left: Math.min(left, innerWidth - 380), top: bottom + 4 })
    }
    const leave = () => setPointed(undefined)
    box.addEventListener('pointerover', point)
    box.addEventListener('focusin', point)
    box.addEventListener('pointerleave', leave)
    box.addEventListener('focusout', leave)
    box.addEventListener('scroll', leave)
    return () => {
      box.removeEventListener('pointerover', point)
      box.removeEventListener('focusin', point)
      box.removeEventListener('pointerleave', leave)
      box.removeEventListener('focusout', leave)
      box.removeEventListener('scroll', leave)
    }
  }, [scroller, trials])
  if (!pointed) return null
  const { trial, left, top } = pointed
  return createPortal(
    <div className="tooltip matrix-tip" role="tooltip" style={{ left: Math.max(left, 8), top }}>
      <p>
        <Outcome trial={trial} /> <strong>{score(trial.score)}</strong> · {duration(trial.duration_ms)}
        {trial.cost_usd === null ? '' : ` · ${dollars(trial.cost_usd)}`}
      </p>
      {trial.failed_scorer ? <p>{trial.failed_scorer}</p> : null}
      {trial.reason ? <p className="tooltip-reason">{trial.reason}</p> : null}
    </div>,
    document.body,
  )
}
