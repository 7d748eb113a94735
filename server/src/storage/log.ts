/** The facts of a log line. The name of the event is stable: operators search for it. */
export interface LogFacts {
  readonly event: `${string}.${string}`
  readonly [fact: string]: unknown
}

/** What the service needs of a logger: the facts, then one sentence. */
export interface Log {
  info(facts: LogFacts, message: string): void
  warn(facts: LogFacts, message: string): void
  error(facts: LogFacts, message: string): void
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }
