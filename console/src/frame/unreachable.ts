/** The code of a page that was not fetched before cannot come while the service is out of reach. */
export class PageUnreachable extends Error {
  override readonly name = 'PageUnreachable'

  constructor(cause: unknown) {
    super('The service cannot be reached, so this page was not loaded.', { cause })
  }
}
