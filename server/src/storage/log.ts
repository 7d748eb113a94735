/** What storage needs of a logger: one object of facts, one sentence. */
export interface Log {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }
