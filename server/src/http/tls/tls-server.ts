import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Certificates } from './certificates.ts'

/** The listener of the service: HTTP, or HTTPS with a certificate that can be renewed while it listens. */
export const serverFactory =
  (certificates: Certificates | undefined) =>
  (handler: RequestListener): Server => {
    if (!certificates) return createHttpServer(handler)
    // Clients have no certificate; who must have one is decided by the request.
    const asks = { requestCert: certificates.areMutual, rejectUnauthorized: false }
    const server = createHttpsServer({ ...certificates.current(), ...asks, minVersion: 'TLSv1.2' }, handler)
    certificates.onChange((identity) => server.setSecureContext({ ...identity, minVersion: 'TLSv1.2' }))
    return server
  }
