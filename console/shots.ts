import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { cannotRun, visit } from './testing.ts'
import { emptyPages, everyPage, settled } from './testing-pages.ts'

const widths = [390, 1440, 1920] as const
const schemes = ['light', 'dark'] as const
const folder = fileURLToPath(new URL('../artifacts/console-shots', import.meta.url))

const reason = cannotRun()
if (reason) throw new Error(reason)
const parts = process.argv.slice(2)
await using seen = await visit()
const { browser, page, service } = seen
let taken = 0

const take = async (shown: Page, path: string, name: string): Promise<void> => {
  if (parts.length > 0 && !parts.some((part) => path.includes(part) || name.includes(part))) return
  taken++
  await shown.goto(service.baseUrl + path)
  await settled(shown)
  for (const width of widths)
    for (const colorScheme of schemes) {
      await shown.setViewportSize({ width, height: width < 720 ? 844 : 1000 })
      await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      mkdirSync(`${folder}/${width}-${colorScheme}`, { recursive: true })
      await shown.screenshot({ path: `${folder}/${width}-${colorScheme}/${name}.png` })
    }
}

const stranger = await browser.newContext()
await take(await stranger.newPage(), '/', 'sign-in')
for (const path of emptyPages) await take(page, path, `empty-${path.slice(1)}`)
const { pages, nameOf } = await everyPage(seen)
for (const path of pages) await take(page, path, nameOf(path).replace(/^-/, '') || 'home')
process.stderr.write(`${taken} pages in ${folder}\n`)
for (const complaint of seen.complaints) process.stderr.write(`${complaint}\n`)
