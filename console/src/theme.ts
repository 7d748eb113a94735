import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'diorama.theme'
const heard = new EventTarget()
const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value)

export const readTheme = (): Theme => {
  const kept = localStorage.getItem(place)
  return isTheme(kept) ? kept : 'system'
}

export const applyTheme = (): void => {
  document.documentElement.dataset['theme'] = readTheme()
}

export const setTheme = (theme: Theme): void => {
  localStorage.setItem(place, theme)
  applyTheme()
  heard.dispatchEvent(new Event('change'))
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)')

/** Changes whenever the colours do: by the reader's choice, or with the system. For what is drawn on a canvas. */
export const useColours = (): string =>
  useSyncExternalStore(
    (changed) => {
      heard.addEventListener('change', changed)
      darkSystem.addEventListener('change', changed)
      return () => {
        heard.removeEventListener('change', changed)
        darkSystem.removeEventListener('change', changed)
      }
    },
    () => `${readTheme()} ${darkSystem.matches}`,
  )

export const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    heard.addEventListener('change', changed)
    return () => heard.removeEventListener('change', changed)
  }, readTheme)
