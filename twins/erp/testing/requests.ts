import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { serveTwin } from '@diorama/twin-kit/testing/host'
import { csrfToken, openSession } from '@diorama/twin-kit/wires/odata/csrf'
import { serviceOf } from '../catalogue/services.ts'

/** Requests for the tests, with the token and the cookies that a client would have fetched. */

export const serviceRoot = (service: string): string =>
  `/sap/opu/odata/sap/${service}${service === 'API_OUTBOUND_DELIVERY_SRV' ? ';v=0002' : ''}`
export const orderService = serviceRoot('API_SALES_ORDER_SRV')
export const partnerService = serviceRoot('API_BUSINESS_PARTNER')

export interface Asked {
  readonly method?: string
  /** From the host's root, with its query. */
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const rootOfSet = (set: string): string => {
  const { name } = serviceOf(set)
  return name === 'CATALOGSERVICE' ? '/sap/opu/odata/IWFND/CATALOGSERVICE;v=2' : serviceRoot(name)
}

/** A request straight to an instance, at a moment of the world's clock. */
export const twinRequest = (
  { method = 'GET', url, body, headers = {} }: Asked,
  credential: string | undefined,
  now: number,
): TwinRequest => {
  const [path = '', query = ''] = url.split('?')
  const session = credential === undefined ? '' : openSession({ token: credential }, now)
  return {
    method,
    path,
    query,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(credential === undefined
        ? {}
        : {
            authorization: `Bearer ${credential}`,
            cookie: `SAP_SESSIONID_S4H_100=${session}; sap-usercontext=sap-client=100`,
            'x-csrf-token': csrfToken(session, { token: credential }),
          }),
      ...headers,
    },
    body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
    baseUrl: 'http://twin.example',
  }
}

export type Host = Awaited<ReturnType<typeof serveTwin>>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any
}

/** A caller that fetches its token once, as clients do, and sends it with its cookies. */
export const caller = (host: Host, credential = host.token) => {
  let proof: Record<string, string> | undefined
  const send = async (
    { method = 'GET', url, body, headers = {} }: Asked,
    more: Record<string, string> = {},
  ): Promise<Reply> => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const reply = await fetch(url.startsWith('http') ? url : `${host.baseUrl}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
        ...headers,
      },
      ...sent,
    })
    const text = await reply.text()
    const isJson = (reply.headers.get('content-type') ?? '').includes('json') && text !== ''
    return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  const proven = async (): Promise<Record<string, string>> => {
    if (proof) return proof
    const { headers } = await send({ url: `${orderService}/`, headers: { 'x-csrf-token': 'Fetch' } })
    const cookie = headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    proof = { 'x-csrf-token': headers.get('x-csrf-token') ?? '', cookie }
    return proof
  }
  return {
    get: (url: string, headers: Record<string, string> = {}) => send({ url, headers }),
    send,
    write: async (asked: Asked) => send(asked, await proven()),
    proven,
  }
}
