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

/** Times as exact as the stretch of time needs them. */
export const tickTimes = (ticks: readonly number[]): string[] => {
  const stretch = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0)
  return ticks.map((seconds) => {
    const at = new Date(seconds * 1_000).toISOString()
    if (stretch > manyHours) return shortDate(at)
    return stretch < fewMinutes ? clockTime(at) : clockTime(at).slice(0, 5)
  })
}
