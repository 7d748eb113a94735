import type { TwinRequest } from '../kernel/twin.ts'

/** A request as it arrived, from any HTTP server or proxy. */
export interface ArrivedRequest extends Omit<TwinRequest, 'path' | 'query' | 'headers' | 'body'> {
  /** Path and query as sent, never decoded, below the twin's base. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: Uint8Array | undefined
}

const noBytes = new Uint8Array()

/** The only conversion from an arrived request to what a twin sees. */
export const toTwinRequest = ({ target, headers, body = noBytes, ...rest }: ArrivedRequest): TwinRequest => {
  const mark = target.indexOf('?')
  return {
    ...rest,
    path: (mark === -1 ? target : target.slice(0, mark)) || '/',
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers: joinHeaders(headers),
    body,
  }
}

/** Repeated headers are joined by a comma; the pseudo-headers of HTTP/2 are left out. */
const joinHeaders = (headers: ArrivedRequest['headers']): Record<string, string> => {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':'))
      joined[name] = typeof value === 'string' ? value : value.join(', ')
  return joined
}
