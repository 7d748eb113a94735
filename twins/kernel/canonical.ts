import { hash } from 'node:crypto'

/** What JSON writes as it stands, between quotes. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** JSON with sorted field names and no white space: the same value gives the same bytes on any machine. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'string') return plain.test(value) ? `"${value}"` : JSON.stringify(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  let held = ''
  if (Array.isArray(value)) {
    for (const item of value) held += `${held === '' ? '' : ','}${canonicalJson(item)}`
    return `[${held}]`
  }
  for (const name of Object.keys(value).sort()) {
    const item = (value as Record<string, unknown>)[name]
    if (item !== undefined) held += `${held === '' ? '' : ','}${canonicalJson(name)}:${canonicalJson(item)}`
  }
  return `{${held}}`
}

export const sha256 = (text: string): string => hash('sha256', text)
