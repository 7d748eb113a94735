/** Words of a text for use in a link: plain letters and digits, joined by dashes. */
export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** At most `length` characters, cut where a word ends. */
export const cutAtWord = (text: string, length: number): string => {
  if (text.length <= length) return text
  const end = text.lastIndexOf('-', length)
  return text.slice(0, end > 0 ? end : length)
}

/** Letters without their accents. */
export const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Markdown as the editor's own document: one paragraph a block. */
export const editorDocument = (markdown: string): string =>
  JSON.stringify({
    type: 'doc',
    content: markdown
      .split(/\n{2,}/)
      .filter((block) => block !== '')
      .map((block) => ({ type: 'paragraph', content: [{ type: 'text', text: block }] })),
  })

/** The plain text of an editor's document, for callers that send that in place of Markdown. */
export const editorText = (document: unknown): string => {
  if (typeof document !== 'object' || document === null) return ''
  if ('text' in document && typeof document.text === 'string') return document.text
  if (!('content' in document) || !Array.isArray(document.content)) return ''
  const block = 'type' in document && document.type === 'doc'
  return document.content.map(editorText).join(block ? '\n\n' : '')
}

export const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase())
    .slice(0, 2)
    .join('')

export const priorityLabels = ['No priority', 'Urgent', 'High', 'Medium', 'Low'] as const
export const priorityLabel = (priority: unknown): string =>
  priorityLabels[Number(priority)] ?? priorityLabels[0]
