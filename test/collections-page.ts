import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordFields } from '@diorama/twin-kit/kernel/record-fields'
import { allTwins } from '@diorama/twins'
import { root } from './sources.ts'

const page = join(root, 'docs', 'collections.md')
const begin = '<!-- collections: begin -->'
const end = '<!-- collections: end -->'

/** Every collection that scorers see, with the fields of its records, as Markdown. */
export const collectionsText = (): string =>
  allTwins
    .map((twin) => {
      const rows = [...recordFields(twin)].map(
        ([collection, fields]) => `| \`${collection}\` | ${fields.map((name) => `\`${name}\``).join(', ')} |`,
      )
      return `## ${twin.kind}\n\n| Collection | Fields |\n|---|---|\n${rows.join('\n')}\n`
    })
    .join('\n')

/** The page as it should be, and as it is. */
export const collectionsPage = (): { wanted: string; found: string } => {
  const found = readFileSync(page, 'utf8')
  const before = found.slice(0, found.indexOf(begin) + begin.length)
  const after = found.slice(found.indexOf(end))
  return { wanted: `${before}\n\n${collectionsText()}\n${after}`, found }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, collectionsPage().wanted)
