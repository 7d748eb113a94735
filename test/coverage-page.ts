import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allTwins } from '@diorama/twins'
import { root } from './sources.ts'

const page = join(root, 'docs', 'twins.md')
const begin = '<!-- coverage: begin -->'
const end = '<!-- coverage: end -->'

type Covered = (typeof allTwins)[number]['coverage']
const of = (coverage: Covered, status: Covered[number]['status']) =>
  coverage.filter((one) => one.status === status)
const names = (coverage: Covered) => coverage.map(({ operation }) => `\`${operation}\``).join(', ') || 'none'
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const folded = (title: string, text: string) =>
  `<details>\n<summary>${title}</summary>\n\n${text}\n\n</details>\n`

/** What the twins' ledgers say, as Markdown. */
export const coverageText = (): string => {
  const rows = allTwins.map(({ kind, standsFor, coverage }) => {
    const counts = (['done', 'partial', 'not emulated'] as const).map((status) => of(coverage, status).length)
    return `| [${kind}](#${kind}) | ${standsFor} | ${counts.join(' | ')} |`
  })
  const sections = allTwins.map(({ kind, standsFor, hosts, coverage }) => {
    const partial = of(coverage, 'partial').map(
      ({ operation, missing }) => `| \`${cell(operation)}\` | ${cell(missing ?? '')} |`,
    )
    return [
      `## ${kind}\n`,
      `${standsFor}. Hosts in a trial: ${hosts.map((host) => `\`${host}\``).join(', ')}.\n`,
      partial.length > 0 ? `| Emulated in part | What is left out |\n|---|---|\n${partial.join('\n')}\n` : '',
      folded('Emulated', names(of(coverage, 'done'))),
      folded('Not emulated', names(of(coverage, 'not emulated'))),
    ].join('\n')
  })
  const head = '| Twin | Emulates | Emulated | In part | Not emulated |\n|---|---|---|---|---|'
  return `${head}\n${rows.join('\n')}\n\n${sections.join('\n')}`
}

/** The page as it should be, and as it is. */
export const coveragePage = (): { wanted: string; found: string } => {
  const found = readFileSync(page, 'utf8')
  const before = found.slice(0, found.indexOf(begin) + begin.length)
  const after = found.slice(found.indexOf(end))
  return { wanted: `${before}\n\n${coverageText()}\n${after}`, found }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, coveragePage().wanted)
