import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { barriers } from '../testing.ts'
import { endTransitions } from '../testing-pages.ts'

const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Does the same in the light and in the dark; where it ends, the page must be accessible. */
export const inBothThemes = async (page: Page, journey: (theme: Theme) => Promise<void>): Promise<void> => {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await journey(theme)
    await page.evaluate(endTransitions)
    assert.deepEqual(await barriers(page), [], `${theme} ${page.url()}`)
  }
}
