import { isAscii } from '../operations/search/words.ts'

/** A value that is already JSON in the service's own bytes. */
export interface Written {
  readonly [text]: string
}
const text = Symbol('text')

export const written = (json: string): Written => ({ [text]: json })

const isWritten = (value: unknown): value is Written =>
  typeof value === 'object' && value !== null && text in value

/** JSON in the service's own bytes: slashes and everything beyond ASCII are escaped. */
export const nativeJson = (value: unknown): string => {
  const plain = JSON.stringify(value)
  const slashed = plain.includes('/') ? plain.replace(/\//g, '\\/') : plain
  return isAscii(slashed)
    ? slashed
    : slashed.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** An answer, some of whose fields may be written already. */
export const nativeAnswer = (body: Readonly<Record<string, unknown>>): string => {
  if (!Object.values(body).some(isWritten)) return nativeJson(body)
  let fields = ''
  for (const [name, value] of Object.entries(body))
    if (value !== undefined)
      fields += `${fields === '' ? '' : ','}${nativeJson(name)}:${isWritten(value) ? value[text] : nativeJson(value)}`
  return `{${fields}}`
}
