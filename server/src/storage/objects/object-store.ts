import type { Readable } from 'node:stream'

/** Where large contents are kept outside of the database. A key is written once and never used again. */
export interface ObjectStore {
  /** The store checks the bytes against the digest, and keeps nothing where they differ. */
  readonly put: (key: string, body: Blob, sha256: string) => Promise<void>
  readonly get: (key: string) => Promise<Readable | undefined>
  /** Removing what is not there is no error. */
  readonly remove: (key: string) => Promise<void>
  /** Writes, reads and removes a small object; throws a StorageFailure that says what does not work. */
  readonly check: (key: string) => Promise<void>
}

/** What an operator configures; the names of the variables begin with DIORAMA_S3_. */
export interface ObjectStoreSettings {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Before each key; empty or with a slash at its end. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}
