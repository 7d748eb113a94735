import type { ServerResponse } from 'node:http'
import { type EventStream, Framed, framed } from './handler.ts'

const heartbeatMs = 15_000
/** A reader that takes nothing for this long is cut off. */
const slowestMs = 15_000

/**
 * Writes messages as server-sent events until they end or the reader goes. Nothing more is written while the reader
 * has not taken what was: one that does not keep up is cut off, and resumes from the last id it saw.
 */
export const sendEvents = async (
  response: ServerResponse,
  { messages, givenUp }: EventStream,
  signal: AbortSignal,
): Promise<void> => {
  // The body ends with the connection. In chunks, every message to every reader would be three writes instead of one.
  response.removeHeader('transfer-encoding')
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  response.write(': open\n\n')
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': beat\n\n')
  }, heartbeatMs)
  heartbeat.unref()
  const cut = () => response.destroy()
  givenUp?.addEventListener('abort', cut, { once: true })
  try {
    for await (const message of messages) {
      if (signal.aborted || response.destroyed) break
      const { bytes } = message instanceof Framed ? message : framed([message])
      if (!response.write(bytes)) await drained(response)
    }
  } finally {
    clearInterval(heartbeat)
    givenUp?.removeEventListener('abort', cut)
    response.end()
  }
}

/** Resolves when the reader has taken what was written, or is gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    const timer = setTimeout(() => response.destroy(), slowestMs)
    if (response.destroyed) return done()
    response.once('drain', done)
    response.once('close', done)
  })
