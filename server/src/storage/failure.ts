export type StorageFailureCode =
  | 'folder_in_use'
  | 'folder_not_ours'
  | 'no_binaries'
  | 'server_failed'
  | 'server_too_old'
  | 'database_newer'
  | 'migration_failed'
  | 'unreachable'

/** Storage could not be opened or kept open. The message is for the operator and says what to do. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  readonly code: StorageFailureCode

  constructor(code: StorageFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
