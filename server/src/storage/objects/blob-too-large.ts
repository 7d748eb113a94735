/** The bytes were more than the limit; nothing of them was kept. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge'
  readonly code = 'blob_too_large'
}
