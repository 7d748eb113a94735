import { clockTime, shortDate } from '../words.ts'

/** A colour of the theme, for what is drawn on a canvas. */
export const plotToken = (name: string): string => {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const fewMinutes = 600
const manyHours = 172_800

const minute = 60
const hour = 3_600
const day = 86_400

/** Distances between ticks, in seconds: round ones, and none that a label could not show. */
export const tickSteps: number[] = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * day),
]

/** Times as exact as the stretch of time needs them. */
export const tickTimes = (ticks: readonly number[]): string[] => {
  const stretch = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0)
  return ticks.map((seconds) => {
    const at = new Date(seconds * 1_000).toISOString()
    if (stretch > manyHours) return shortDate(at)
    return stretch < fewMinutes ? clockTime(at) : clockTime(at).slice(0, 5)
  })
}
