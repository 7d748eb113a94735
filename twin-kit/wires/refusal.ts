import type { TwinReply } from '../kernel/twin.ts'

/** As much of a body as is looked at: vendors put what went wrong first. */
const headLength = 4_096
const maxWords = 200

/** How wires say no in a reply whose status is 200, each with where it says why. */
const refusals: readonly { readonly sign: RegExp; readonly why: RegExp }[] = [
  { sign: /^\{"ok":false\b/, why: /"error":"((?:[^"\\]|\\.)*)"/ },
  { sign: /^\{"errors":\[\s*\{/, why: /"message":"((?:[^"\\]|\\.)*)"/ },
  { sign: /^\{"jsonrpc":"2\.0"[\s\S]*?"error":\{/, why: /"message":"((?:[^"\\]|\\.)*)"/ },
  { sign: /"isError":true\b/, why: /"text":"((?:[^"\\]|\\.)*)"/ },
  { sign: /"success":false\b/, why: /"(?:statusCode|message)":"((?:[^"\\]|\\.)*)"/ },
  { sign: /"(?:httpStatusCode|statusCode)":[45]\d\d\b/, why: /"(?:errorCode|message)":"((?:[^"\\]|\\.)*)"/ },
  { sign: /^HTTP\/1\.1 [45]\d\d/m, why: /^HTTP\/1\.1 ([45]\d\d[^\r\n]*)/m },
  { sign: /<(?:\w+:)?Fault>/, why: /<faultstring[^>]*>([^<]*)</ },
]
/** Where a reply with a status of 400 or above says why. */
const reasons = [
  /"errorCode":"((?:[^"\\]|\\.)*)"/,
  /"error":"((?:[^"\\]|\\.)*)"/,
  /"code":"((?:[^"\\]|\\.)*)"/,
  /"message":"((?:[^"\\]|\\.)*)"/,
  /<faultstring[^>]*>([^<]*)</,
]

/** Why the vendor refused a request, in its own words; null where it did not, whatever the status says. */
export const refusalOf = ({ status, headers, body }: TwinReply): string | null => {
  const head = headOf(headers, body)
  if (status >= 400) {
    for (const reason of reasons) {
      const found = reason.exec(head)?.[1]
      if (found) return words(found)
    }
    return `status ${status}`
  }
  const kind = refusals.find(({ sign }) => sign.test(head))
  return kind ? words(kind.why.exec(head)?.[1] || 'refused') : null
}

const headOf = (headers: TwinReply['headers'], body: TwinReply['body']): string => {
  if (typeof body === 'string') return body.slice(0, headLength)
  const type = String(headers['content-type'] ?? '')
  if (!/json|xml|multipart/.test(type)) return ''
  return new TextDecoder().decode(body.subarray(0, headLength))
}

const words = (text: string): string => text.replaceAll(/\\(.)/g, '$1').slice(0, maxWords).toWellFormed()
