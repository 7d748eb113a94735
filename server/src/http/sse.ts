import type { ServerResponse } from 'node:http'
import { Framed, framed, type StreamMessage } from './handler.ts'

const heartbeatMs = 15_000
const mostBufferedBytes = 1_048_576

/**
 * Writes messages as server-sent events until they end or the reader goes. A reader that does not keep up is cut off:
 * it resumes from the last id it saw, and the service holds no more than a bounded buffer for it.
 */
export const sendEvents = async (
  response: ServerResponse,
  messages: AsyncIterable<StreamMessage | Framed>,
  signal: AbortSignal,
): Promise<void> => {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  })
  response.write(': open\n\n')
  const heartbeat = setInterval(() => response.write(': beat\n\n'), heartbeatMs)
  heartbeat.unref()
  try {
    for await (const message of messages) {
      if (signal.aborted || response.destroyed) break
      response.write((message instanceof Framed ? message : framed([message])).bytes)
      if (response.writableLength > mostBufferedBytes) {
        response.destroy()
        return
      }
    }
  } finally {
    clearInterval(heartbeat)
    response.end()
  }
}
