import { startTransition, useEffect, useState } from 'react'

/** Whether what is ready was painted: work for what is out of sight waits until then. */
export const usePainted = (ready = true): boolean => {
  const [painted, setPainted] = useState(false)
  useEffect(() => {
    if (!ready) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [ready])
  return painted
}
