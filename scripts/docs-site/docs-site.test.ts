import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, describe, it } from 'node:test'
import { root } from '../setup.mjs'
import { renderMarkdown, slugOf } from './markdown.ts'
import { pictures } from './pictures.ts'
import { writeSite } from './site.ts'

const out = mkdtempSync(join(tmpdir(), 'diorama-site-'))
const pages = writeSite({ root, out })
const htmlOf = (page: string) => readFileSync(join(out, page), 'utf8')
const idsIn = (html: string) => new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))
after(() => rmSync(out, { recursive: true, force: true }))

/** Links and pictures of a page that lead to nothing on the site. */
const deadLinks = (page: string): string[] =>
  [...htmlOf(page).matchAll(/(?:href|src)="([^"]*)"/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^(https?:|mailto:)/.test(link))
    .filter((link) => {
      const [path = '', hash] = link.split('#')
      const target = path === '' ? page : posix.join(posix.dirname(page), path)
      if (!existsSync(join(out, target))) return true
      return hash !== undefined && !idsIn(htmlOf(target)).has(decodeURIComponent(hash))
    })
    .map((link) => `${page} → ${link}`)

describe('the docs site', () => {
  it('has a page for every page of the handbook, each in the navigation', () => {
    assert.ok(pages.length > 20 && pages.includes('index.html') && pages.includes('quick-start.html'))
    const index = htmlOf('index.html')
    const missing = pages.filter(
      (page) => !page.includes('/') && /^[a-z]/.test(page) && page !== 'index.html',
    )
    assert.deepEqual(
      missing.filter((page) => !index.includes(`<li><a href="${page}">`)),
      [],
    )
  })

  it('has only links and anchors that lead somewhere, and loads nothing from elsewhere', () => {
    assert.deepEqual(pages.flatMap(deadLinks), [])
    for (const page of pages) assert.doesNotMatch(htmlOf(page), /(src|<link[^>]+href)="https?:/, page)
  })

  it('has every picture of the table, in use and small, and no other', () => {
    const folder = join(root, 'docs', 'pictures')
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(pictures).sort())
    const used = pages.map(htmlOf).join('\n')
    for (const name of Object.keys(pictures)) {
      assert.ok(used.includes(`src="pictures/${name}"`), name)
      assert.ok(statSync(join(folder, name)).size < 200_000, name)
    }
  })

  it('links to the source of what is not a page', () => {
    const html = renderMarkdown(
      '[a](../x.ts#L3) [b](https://example.com)',
      ({ path, hash }) => `there:${path}${hash}`,
    )
    assert.match(html, /href="there:\.\.\/x\.ts#L3".*href="https:\/\/example\.com"/)
  })

  it('gives headings the anchors of code hosts', () => {
    assert.equal(slugOf('What is `it`, and why?'), 'what-is-it-and-why')
  })
})
