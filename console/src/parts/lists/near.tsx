import { type ReactNode, useEffect, useRef, useState } from 'react'
import { count as number } from '../../words.ts'

const step = 200

/** The beginning of a long list, which grows as its end comes into sight. */
export const useNear = <T,>(items: readonly T[]): { near: readonly T[]; end: ReactNode } => {
  const [count, setCount] = useState(step)
  const place = useRef<HTMLButtonElement>(null)
  const more = items.length - count
  const grow = () => setCount((before) => before + step)
  useEffect(() => {
    const { current } = place
    if (!current || more <= 0) return
    const seen = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setCount((before) => before + step)
    })
    seen.observe(current)
    return () => seen.disconnect()
  }, [more])
  return {
    near: more > 0 ? items.slice(0, count) : items,
    end:
      more > 0 ? (
        <button ref={place} type="button" className="button" onClick={grow}>
          Show {number(Math.min(more, step))} more of {number(items.length)}
        </button>
      ) : null,
  }
}
