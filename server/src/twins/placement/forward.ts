import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'

/** Longer than an isolate may take for one request, and shorter than a node is believed alive. */
const timeoutMs = 10_000

export interface Forwarded {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Marks a request that came from another node, so that it is answered or refused and never sent round. */
export const forwardedHeader = 'x-diorama-forwarded'

/** Sends a twin's request on to the node that runs the twin. */
export const forward = (
  address: string,
  message: { method: string; url: string; headers: IncomingHttpHeaders; body: Uint8Array },
): Promise<Forwarded> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...message.headers,
      [forwardedHeader]: '1',
      'content-length': String(message.body.length),
    }
    delete headers['transfer-encoding']
    delete headers.connection
    const outgoing = httpRequest(
      `${address}${message.url}`,
      { method: message.method, headers, timeout: timeoutMs },
      (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 502, headers: reply.headers, body: Buffer.concat(chunks) }),
        )
        reply.on('error', reject)
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('the other node did not answer in time')))
    outgoing.on('error', reject)
    outgoing.end(message.body)
  })
