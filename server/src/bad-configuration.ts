/** A setting that the service cannot start with; the message begins with the name of its variable. */
export class BadConfiguration extends Error {
  override readonly name = 'BadConfiguration'
}
