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
export function isRowFault(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return error.code.length === 5 && (error.code.startsWith('22') || error.code.startsWith('23'))
}
