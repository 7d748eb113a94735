import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { barriers } from '../testing.ts'
import { endTransitions } from '../testing-pages.ts'

export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

type Journey = (theme: Theme) => Promise<void>

/** Does something in one theme; where it ends, the page must be accessible. */
export const inTheme = async (page: Page, theme: Theme, journey: Journey): Promise<void> => {
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(endTransitions)
  await journey(theme)
  await page.evaluate(endTransitions)
  assert.deepEqual(await barriers(page), [], `${theme} ${page.url()}`)
}

/** Does the same in the light and in the dark. */
export const inBothThemes = async (page: Page, journey: Journey): Promise<void> => {
  for (const theme of themes) await inTheme(page, theme, journey)
}
