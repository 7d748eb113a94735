import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Certificates } from './certificates.ts'

/** How long a request may take to arrive: an upload of a dataset on a slow line. Headers have Node's own limit, a minute. */
const requestTimeoutMs = 3_600_000

/** The listener of the service: HTTP, or HTTPS with a certificate that can be renewed while it listens. */
export const serverFactory =
  (certificates: Certificates | undefined) =>
  (handler: RequestListener): Server => {
    if (!certificates) return createHttpServer({ requestTimeout: requestTimeoutMs }, handler)
    // Clients have no certificate; who must have one is decided by the request.
    const asks = { requestCert: certificates.areMutual, rejectUnauthorized: false }
    const server = createHttpsServer(
      { ...certificates.current(), ...asks, minVersion: 'TLSv1.2', requestTimeout: requestTimeoutMs },
      handler,
    )
    certificates.onChange((identity) => server.setSecureContext({ ...identity, minVersion: 'TLSv1.2' }))
    return server
  }
