import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Markdown } from './src/parts/text/markdown.ts'

const html = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }))

describe('Markdown in the console', () => {
  it('renders headings, lists, tables, code and links', () => {
    const shown = html(
      '# Plan\n\n- [x] ship **it**\n\n| a | b |\n|---|---|\n| 1 | `x` |\n\n[docs](https://example.com/a)',
    )
    for (const part of ['<h1>Plan</h1>', '<strong>it</strong>', '<td>1</td>', '<code>x</code>', 'checkbox'])
      assert.ok(shown.includes(part), `${part} in ${shown}`)
    assert.match(
      shown,
      /<a href="https:\/\/example\.com\/a" rel="noreferrer noopener" target="_blank">docs<\/a>/,
    )
  })

  const hostile: readonly string[] = [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '<iframe src="https://example.com"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:x)',
    '<javascript:alert(1)>',
    '![x](https://tracker.example/pixel.png)',
    '[x]: javascript:alert(1)\n\n[x]',
    '<svg/onload=alert(1)>',
    '<style>* { display: none }</style>',
  ]
  for (const text of hostile)
    it(`makes nothing that runs or loads of ${JSON.stringify(text)}`, () => {
      const shown = html(text)
      const tags = [...shown.matchAll(/<([a-z]\w*)([^>]*)>/g)]
      for (const [tag, name = '', attributes = ''] of tags) {
        assert.ok(['div', 'p', 'a', 'span'].includes(name), tag)
        assert.doesNotMatch(attributes, /\bon\w+=|src=|(?:javascript|data|vbscript):/i, tag)
      }
    })
})
