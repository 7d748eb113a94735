import type { ServerResponse } from 'node:http'
import { type EventStream, Framed, framed, type Live } from './handler.ts'

const heartbeatMs = 15_000
/** A reader that takes nothing for this long is cut off. */
const maxStallMs = 15_000

/** Backpressure: readers share the bytes they get, so many slow readers cost little more than one. */
const maxBufferedBytes = 4 * 1_048_576

/**
 * Writes messages as server-sent events until they end or the reader goes. A reader that does not keep up is cut off,
 * and resumes from the last id it saw.
 */
export const sendEvents = async (
  response: ServerResponse,
  { messages, live }: EventStream,
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
  const heartbeat = beat(response)
  try {
    for await (const message of messages) {
      if (signal.aborted || response.destroyed) return
      const { bytes } = message instanceof Framed ? message : framed([message])
      if (!response.write(bytes)) await drained(response)
    }
    if (live && !signal.aborted) await pour(response, live)
  } finally {
    clearInterval(heartbeat)
    live?.leave()
    response.end()
  }
}

/** A sign of life now and then. One who has taken nothing since the last, though there was something, is cut off. */
const beat = (response: ServerResponse): NodeJS.Timeout => {
  let takenBefore = -1
  return setInterval(() => {
    const { socket } = response
    if (!socket) return
    const taken = socket.bytesWritten - socket.writableLength
    if (socket.writableLength === 0) response.write(': beat\n\n')
    else if (taken === takenBefore) response.destroy()
    takenBefore = taken
  }, heartbeatMs).unref()
}

/**
 * Hands the connection to what is live. A write goes to the socket and to nothing between: to a thousand readers, each
 * layer costs as much as the write itself.
 */
const pour = (response: ServerResponse, live: Live): Promise<void> =>
  new Promise((resolve) => {
    const { socket } = response
    if (!socket || socket.destroyed) return resolve()
    socket.once('close', resolve)
    live.attach({
      send: (bytes) => {
        socket.write(bytes)
        if (socket.writableLength > Math.max(maxBufferedBytes, bytes.length)) response.destroy()
      },
      end: resolve,
    })
  })

/** Resolves when the reader has taken what was written, or is gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    const timer = setTimeout(() => response.destroy(), maxStallMs)
    if (response.destroyed) return done()
    response.once('drain', done)
    response.once('close', done)
  })
