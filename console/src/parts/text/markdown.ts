import { createElement } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

const plugins = [remarkGfm]

/** Links open apart from the console; an image would tell its host who reads, so only its text is shown. */
const components: Components = {
  a: ({ href, children }) =>
    createElement('a', { href, rel: 'noreferrer noopener', target: '_blank' }, children),
  img: ({ alt }) => createElement('span', null, alt),
}

/** Markdown as people write it. HTML in it is shown as text, and only safe addresses become links. */
export const Markdown = ({ text }: { text: string }) =>
  createElement(
    'div',
    { className: 'prose markdown' },
    createElement(ReactMarkdown, { remarkPlugins: plugins, components }, text),
  )
