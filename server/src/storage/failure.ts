export type StorageFailureCode =
  | 'folder_in_use'
  | 'folder_not_ours'
  | 'no_binaries'
  | 'server_failed'
  | 'server_too_old'
  | 'database_newer'
  | 'migration_failed'
  | 'unreachable'
  | 'encryption_key'
  | 'secret_not_readable'
  | 'object_store'

/** Storage could not be opened or kept open. The message is for the operator and says what to do. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  readonly code: StorageFailureCode

  constructor(code: StorageFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * True when the database refused a statement for what was in it (a value it cannot hold, a key that is taken
 * or missing): nothing was written, and the same will be refused again. A lost connection is none of these:
 * whether its statement was committed is unknown.
 */
export const isRowFault = (error: unknown): boolean => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return error.code.length === 5 && (error.code.startsWith('22') || error.code.startsWith('23'))
}

/** Connection exceptions, shutdowns and exhausted connections, by their SQLSTATE or its class. */
const unreachableStates = /^(08...|53[0-3]00|57P0[1-5])$/
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
/** What the driver throws without a code. */
const unreachableMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error)|Cannot use a pool after calling end|Query read timeout|the database server is not running)/

/** True when the database could not be asked, whatever was asked: the same request may succeed when it is back. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  for (let fault = error, depth = 0; fault instanceof Error && depth < 5; fault = fault.cause, depth++) {
    if (unreachableMessage.test(fault.message)) return true
    // A fatal error ends the connection, or refuses it.
    if ('severity' in fault && (fault.severity === 'FATAL' || fault.severity === 'PANIC')) return true
    if (!('code' in fault) || typeof fault.code !== 'string') continue
    if (unreachableStates.test(fault.code)) return true
    if (unreachableCodes.has(fault.code) && 'syscall' in fault && isDatabaseCall(fault)) return true
  }
  return false
}

/** A connection of ours is a socket; a file that is missing has a path and is none. */
const isDatabaseCall = (fault: Error & { syscall?: unknown }): boolean =>
  fault.syscall === 'connect' || fault.syscall === 'read' || fault.syscall === 'write'
