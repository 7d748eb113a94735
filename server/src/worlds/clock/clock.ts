import type { ClockMode } from '@diorama/contract/blueprint/moving'

/** How a clock runs, and a moment at which it showed a known time. */
export interface ClockSetting {
  readonly mode: ClockMode
  readonly factor: number
  readonly storyAt: number
  readonly wallAt: number
}

/**
 * The time of one world, in milliseconds. In story mode it moves only when it is moved; in wall mode it runs at the
 * wall's speed times a factor. It never goes back.
 */
export interface StoryClock {
  readonly setting: ClockSetting
  readonly now: () => number
  /** Moves to a later time; an earlier one changes nothing. */
  readonly moveTo: (time: number) => void
  readonly set: (change: { mode?: ClockMode | undefined; factor?: number | undefined }) => void
}

export const createStoryClock = (start: ClockSetting, wall: () => number): StoryClock => {
  let setting = start
  const now = (): number =>
    setting.mode === 'story'
      ? setting.storyAt
      : setting.storyAt + Math.floor(Math.max(0, wall() - setting.wallAt) * setting.factor)
  const anchor = (storyAt: number): void => {
    setting = { ...setting, storyAt, wallAt: wall() }
  }
  return {
    get setting() {
      return setting
    },
    now,
    moveTo: (time) => {
      if (time > now()) anchor(time)
    },
    set: ({ mode = setting.mode, factor = setting.factor }) => {
      anchor(now())
      setting = { ...setting, mode, factor }
    },
  }
}
