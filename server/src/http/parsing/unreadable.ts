import type { Socket } from 'node:net'
import { type ErrorCode, errorCodes } from '@diorama/contract'

/** What came is not HTTP, so there is no request to answer: the refusal is written to the connection, which ends. */
export const refuseUnreadable =
  (makeId: (prefix: string) => string) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const large = error.code === 'HPE_HEADER_OVERFLOW'
    const code: ErrorCode = large ? 'too_large' : 'malformed'
    const id = makeId('req')
    const body = JSON.stringify({
      error: large ? 'The headers are larger than the server takes.' : 'The request is not valid HTTP.',
      code,
      request_id: id,
    })
    const head = [
      `HTTP/1.1 ${errorCodes[code].status} ${large ? 'Content Too Large' : 'Bad Request'}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${id}`,
      'connection: close',
    ]
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    socket.destroySoon()
  }
