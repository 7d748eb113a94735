import { createHash } from 'node:crypto'

/** JSON with sorted field names and no white space: the same value gives the same bytes on any machine. */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let items = ''
    for (const item of value) items += `${items === '' ? '' : ','}${canonicalJson(item)}`
    return `[${items}]`
  }
  const held = value as Record<string, unknown>
  let fields = ''
  for (const name of Object.keys(held).sort()) {
    const item = held[name]
    if (item !== undefined)
      fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(item)}`
  }
  return `{${fields}}`
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
