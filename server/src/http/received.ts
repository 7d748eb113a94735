import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { UnknownField } from '@diorama/contract/fields'
import type { Caller, Incoming } from './handler.ts'

type Given = Omit<Incoming, 'signal' | 'caller'> & { readonly caller: Caller | undefined }

/**
 * A request for as long as it is being answered. Its signal is made for those who ask, since most handlers are done
 * before their caller could go; a class, since to give each request its own getter costs more than to read it.
 */
export class Received {
  readonly params: Given['params']
  readonly query: Given['query']
  readonly body: Given['body']
  readonly sent: unknown
  readonly caller: Caller | undefined
  readonly requestId: string
  readonly headers: IncomingHttpHeaders
  readonly unknownFields: readonly UnknownField[]
  readonly bytes: Uint8Array
  readonly stream: Readable | undefined
  readonly #response: ServerResponse
  #signal: AbortSignal | undefined

  constructor(given: Given, response: ServerResponse) {
    this.params = given.params
    this.query = given.query
    this.body = given.body
    this.sent = given.sent
    this.caller = given.caller
    this.requestId = given.requestId
    this.headers = given.headers
    this.unknownFields = given.unknownFields
    this.bytes = given.bytes
    this.stream = given.stream
    this.#response = response
  }

  /** Aborts when the caller goes away. */
  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#response)
    return this.#signal
  }
}

const goneSignal = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  response.once('close', () => gone.abort())
  return gone.signal
}
