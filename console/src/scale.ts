import { useSyncExternalStore } from 'react'

/** How much larger than drawn everything is now; the root's font says so, which grows with the screen. */
export const readScale = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 10 || 1

const onResize = (changed: () => void) => {
  addEventListener('resize', changed)
  return () => removeEventListener('resize', changed)
}

export const useScale = (): number => useSyncExternalStore(onResize, readScale)

const narrow = matchMedia('(max-width: 720px)')
export const useNarrow = (): boolean => useSyncExternalStore(onResize, () => narrow.matches)
