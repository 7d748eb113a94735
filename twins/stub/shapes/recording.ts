import { type Json, listOf, objectOf, textOf } from './json.ts'

/** One exchange of a recording. */
export interface Exchange {
  readonly method: string
  readonly url: URL
  readonly body: string
  readonly status: number
  readonly contentType: string
  readonly reply: string
  readonly isBase64: boolean
}

/** An exchange of a HAR, or what is wrong with it. */
export const exchangeOf = (
  entry: unknown,
): Exchange | { readonly field: string; readonly message: string } => {
  const { request, response } = objectOf(entry)
  const { method, url: address, postData } = objectOf(request)
  const { status, content } = objectOf(response)
  const url = URL.parse(textOf(address) ?? '')
  if (textOf(method) === undefined) return { field: '/request/method', message: 'must be a method' }
  if (!url || !/^https?:$/.test(url.protocol))
    return { field: '/request/url', message: 'must be an absolute http or https address' }
  if (typeof status !== 'number' || status < 100 || status > 599)
    return { field: '/response/status', message: 'must be a status from 100 to 599' }
  const { text, mimeType, encoding } = objectOf(content)
  return {
    method: String(method).toUpperCase(),
    url,
    body: bodyOf(objectOf(postData)),
    status,
    contentType: textOf(mimeType) ?? '',
    reply: textOf(text) ?? '',
    isBase64: encoding === 'base64',
  }
}

/** Some recorders write down the fields of a form, and not its text. */
const bodyOf = ({ text, params, mimeType }: Json): string => {
  const isForm = /urlencoded/i.test(textOf(mimeType) ?? '')
  if (text !== undefined || !isForm) return textOf(text) ?? ''
  return listOf(params)
    .map(objectOf)
    .map(({ name, value }) => `${encoded(name)}=${encoded(value)}`)
    .join('&')
}

const encoded = (value: unknown): string => encodeURIComponent(String(value ?? '')).replaceAll('%20', '+')

export const entriesOf = (har: Json): readonly unknown[] => listOf(objectOf(har.log).entries)
