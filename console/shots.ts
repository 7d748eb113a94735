import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cannotRun, visit } from './testing.ts'
import { everyPage, settled } from './testing-pages.ts'

const widths = [390, 1440, 1920] as const
const schemes = ['light', 'dark'] as const
const folder = fileURLToPath(new URL('../artifacts/console-shots', import.meta.url))

const reason = cannotRun()
if (reason) throw new Error(reason)
const parts = process.argv.slice(2)
await using seen = await visit()
const { page, service } = seen
const { pages, nameOf } = await everyPage(seen)
const wanted = pages.filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
for (const path of wanted) {
  await page.goto(service.baseUrl + path)
  await settled(page)
  for (const width of widths)
    for (const colorScheme of schemes) {
      await page.setViewportSize({ width, height: width < 720 ? 844 : 1000 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      mkdirSync(`${folder}/${width}-${colorScheme}`, { recursive: true })
      await page.screenshot({
        path: `${folder}/${width}-${colorScheme}/${nameOf(path).replace(/^-/, '') || 'home'}.png`,
      })
    }
}
process.stderr.write(`${wanted.length} pages in ${folder}\n`)
for (const complaint of seen.complaints) process.stderr.write(`${complaint}\n`)
