import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import { allRoutes, defaultLimits } from '@diorama/contract'
import type { Log } from '../storage/log.ts'
import { testStorage } from '../storage/testing.ts'
import { ApiError } from './api-error.ts'
import { openEdge } from './edge.ts'
import type { Caller, Handlers, Incoming } from './handler.ts'
import { openIdempotency } from './idempotency/idempotency.ts'
import { createFairUse } from './limits/fair-use.ts'
import { openMetrics } from './metrics.ts'
import { serverFactory } from './tls/tls-server.ts'

export interface EdgeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** The edge alone, with handlers of the test's own; a route without one is a bug, and answers as one. */
export const testEdge = async (given: Partial<Handlers>, log: Log) => {
  const database = await testStorage()
  const { storage } = database
  const handlers = Object.fromEntries(
    Object.keys(allRoutes).map((name) => [
      name,
      (incoming: Incoming) => {
        const handler: unknown = Reflect.get(given, name)
        if (typeof handler !== 'function') throw new Error(`the test has no handler ${name}`)
        return handler(incoming)
      },
    ]),
  )
  const edge = await openEdge({
    handlers: handlers as unknown as Handlers,
    authenticate: async (authorization) => {
      if (authorization !== 'Bearer test') throw new ApiError('unauthorized', 'Send the key.')
      return caller
    },
    watchKey: () => () => {},
    fairUse: createFairUse({ now: Date.now, maxBodyBytesInFlight: 1_073_741_824 }),
    idempotency: openIdempotency({ storage, random: randomBytes, now: Date.now }),
    metrics: openMetrics(),
    log,
    now: Date.now,
    makeId: storage.makeId,
    bodyLimitBytes: 1_048_576,
    bundleLimitBytes: 1_048_576,
    checkReplies: true,
    serverFactory: serverFactory(undefined),
    isForged: () => false,
  })
  const baseUrl = await edge.listen({ host: '127.0.0.1', port: 0 })
  return {
    edge,
    baseUrl,
    async [Symbol.asyncDispose]() {
      await edge.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const caller: Caller = {
  organizationId: 'org_test',
  organizationName: 'test',
  organizationCreatedAt: '2026-01-01T00:00:00.000Z',
  limits: defaultLimits,
  keyId: 'key_test',
  keyName: 'test',
  keyClass: 'operator',
  scopes: new Set(),
  keyExpiresAt: null,
  keyRequestsPerMinute: null,
}

/** Sends a request as given, and accepts an answer that comes before the whole body was sent. */
export const sendRaw = (
  url: string,
  {
    method = 'GET',
    headers = {},
    body = [],
  }: {
    method?: string
    headers?: Readonly<Record<string, string>>
    body?: Iterable<Uint8Array | string>
  } = {},
): Promise<EdgeReply> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('error', reject)
      reply.on('end', () => {
        answered = true
        outgoing.destroy()
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        })
      })
    })
    let answered = false
    outgoing.on('error', (error) => {
      if (!answered) reject(error)
    })
    for (const part of body) outgoing.write(part)
    outgoing.end()
  })

/** A connection on which the test says every byte. */
export const openSocket = (baseUrl: string) => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.setEncoding('utf8')
  socket.on('data', (text) => {
    heard += text
  })
  const ended = new Promise<string>((resolve, reject) => {
    socket.once('close', () => resolve(heard))
    socket.once('error', reject)
  })
  return {
    connected: new Promise<void>((resolve) => socket.once('connect', () => resolve())),
    say: (text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve())),
    /** All that was heard until the connection ended. */
    ended,
    close: () => socket.destroy(),
  }
}
