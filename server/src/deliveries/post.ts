import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressRules, hostOf, portOf } from './address-rules.ts'
import { exchange } from './http-transport.ts'
import type { Outcome } from './transport.ts'

const timeoutMs = 10_000

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Posts under the rules for addresses; redirects are not followed, as each would be another address. */
export const postUnder =
  (rules: AddressRules) =>
  async ({ url: address, headers, body }: PostRequest): Promise<Outcome> => {
    const url = new URL(address)
    const refusal = rules.refusal(url)
    if (refusal !== undefined) return { fault: 'refused', message: `Not sent: ${refusal}.` }
    const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: rules.lookupFor(`${hostOf(url)} ${portOf(url)}`),
    })
    return exchange(outgoing, { body, timeoutMs })
  }
