/** A canvas as the page that its address gives: one element for each section, its text escaped. */
export const canvasHtml = ({
  title,
  sections,
}: {
  readonly title: string
  readonly sections: readonly { readonly id: string; readonly type: string; readonly markdown: string }[]
}): string => {
  const body = sections.map(({ id, type, markdown }) => {
    const heading = /^h[1-3]$/.test(type) ? type : undefined
    const text = escapeHtml(heading ? markdown.replace(/^#{1,3} /, '') : markdown)
    const tag = heading ?? 'p'
    return `<${tag} id='${escapeHtml(id)}'>${text.replace(/\n/g, '<br/>')}</${tag}>`
  })
  return `<h1 id='title'>${escapeHtml(title)}</h1>\n${body.join('\n')}\n`
}

const escapeHtml = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/'/g, '&#39;')
    .replace(/"/g, '&quot;')
