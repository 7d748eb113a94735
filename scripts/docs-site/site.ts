import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type LinkTarget, renderMarkdown, titleOf } from './markdown.ts'
import { type NavigationEntry, pageHtml, stylesheet } from './template.ts'

/** Where source files that are not pages of the site can be read. */
const sourceUrl = 'https://github.com/diorama-dev/diorama/blob/main/'

/** Pages from outside the handbook that it links to. */
const otherPages = [
  ...['GLOSSARY.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'],
  ...['sdk/README.md', 'python/README.md', 'examples/README.md'],
]

const handbookPages = (root: string): string[] =>
  readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)

/** The address of a page: the handbook is at the top, all else keeps its folder. */
export const addressOf = (source: string): string =>
  source
    .replace(/^docs\/README\.md$/, 'index.md')
    .replace(/^docs\//, '')
    .replace(/\.md$/, '.html')

/** The order of the pages is that of the table on the first page. */
const navigationOf = (index: string): NavigationEntry[] =>
  [...index.matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, title = '', target = '']) => ({
    title,
    address: addressOf(posix.join('docs', target)),
  }))

const relativeAddress = (from: string, to: string): string =>
  posix.relative(posix.dirname(from), to) || posix.basename(to)

/** Writes every page and returns their addresses. */
export const writeSite = ({ root, out }: { root: string; out: string }): string[] => {
  const sources = [...handbookPages(root), ...otherPages.filter((path) => existsSync(join(root, path)))]
  const navigation = navigationOf(readFileSync(join(root, 'docs/README.md'), 'utf8'))
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'style.css'), stylesheet)
  const pictures = join(root, 'docs', 'pictures')
  if (existsSync(pictures)) cpSync(pictures, join(out, 'pictures'), { recursive: true })
  for (const source of sources) {
    const address = addressOf(source)
    const linkTo = ({ path, hash }: LinkTarget): string => {
      const target = posix.join(posix.dirname(source), path)
      if (sources.includes(target)) return relativeAddress(address, addressOf(target)) + hash
      if (target.startsWith('docs/pictures/')) return relativeAddress(address, addressOf(target))
      return sourceUrl + target + hash
    }
    const markdown = readFileSync(join(root, source), 'utf8')
    const html = pageHtml({
      title: titleOf(markdown),
      body: renderMarkdown(markdown, linkTo),
      address,
      navigation,
      linkTo: (to) => relativeAddress(address, to),
    })
    mkdirSync(dirname(join(out, address)), { recursive: true })
    writeFileSync(join(out, address), html)
  }
  return sources.map(addressOf)
}
