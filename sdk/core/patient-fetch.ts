/** What Node's fetch sends a request with. */
interface Dispatcher {
  readonly dispatch: (request: object, handler: unknown) => boolean
}

/** Where Node keeps its dispatcher, also one that was put in its place. It is there once a class of fetch was read. */
const nodeDispatcher = (): unknown =>
  globalThis.Headers && Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'

/**
 * A fetch that waits for the headers of a reply as long as its caller does. Node's own gives up after 300 seconds,
 * whatever the caller's timeout is, and an import or the check of a suite may take longer. Other runtimes have no such
 * limit.
 */
export const patientFetch: typeof globalThis.fetch = (input, init) => {
  const dispatcher = nodeDispatcher()
  if (!isDispatcher(dispatcher)) return globalThis.fetch(input, init)
  const patient: Dispatcher = {
    dispatch: (request, handler) => dispatcher.dispatch({ ...request, headersTimeout: 0 }, handler),
  }
  return globalThis.fetch(input, { ...init, dispatcher: patient } as RequestInit)
}
