import { type ComponentPropsWithoutRef, createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

/** A link to another file of the repository, relative to the page that has it. */
export interface LinkTarget {
  readonly path: string
  readonly hash: string
}

export const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? 'Diorama'

/** The anchor of a heading, by the rule of the code hosts that render the same files. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

const textOf = (node: unknown): string => {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (typeof node !== 'object' || node === null || !('props' in node)) return ''
  return textOf((node.props as { children?: unknown }).children)
}

const heading =
  (tag: 'h1' | 'h2' | 'h3' | 'h4') =>
  ({ children }: ComponentPropsWithoutRef<'h2'>) => {
    const id = slugOf(textOf(children))
    return createElement(
      tag,
      { id },
      children,
      ' ',
      createElement('a', { href: `#${id}`, 'aria-label': 'Link' }, '#'),
    )
  }

const headings: Components = { h1: heading('h1'), h2: heading('h2'), h3: heading('h3'), h4: heading('h4') }

export const renderMarkdown = (markdown: string, linkTo: (target: LinkTarget) => string): string => {
  const urlTransform = (url: string): string => {
    if (/^(https?:|mailto:|#)/.test(url)) return url
    const [path = '', hash] = url.split('#')
    return linkTo({ path, hash: hash === undefined ? '' : `#${hash}` })
  }
  return renderToStaticMarkup(
    createElement(Markdown, { remarkPlugins: [remarkGfm], components: headings, urlTransform }, markdown),
  )
}
