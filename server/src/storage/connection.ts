import pg from 'pg'
import type { Log } from './log.ts'

/** PostgreSQL's numbers for the types that we read otherwise than the driver does. */
const bigint = 20
const bigintArray = 1016

const statementTimeoutMs = 30_000
const idleTransactionTimeoutMs = 60_000
const connectTimeoutMs = 10_000
const idleConnectionTimeoutMs = 60_000
export const poolSize = 16

/**
 * bigint arrives as a number: our counts and sequence numbers stay far below 2^53, and a string where a
 * number is meant breaks arithmetic in silence.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser(id, format) {
    const builtIn = pg.types.getTypeParser(id, format)
    const type: number = id
    if (format === 'binary') return builtIn
    if (type === bigint) return Number
    if (type === bigintArray) {
      return (text: string) =>
        builtIn(text).map((item: string | null) => (item === null ? null : Number(item)))
    }
    return builtIn
  },
}

/** The settings of every connection. */
export const connectionTo = (url: string): pg.ClientConfig => {
  return {
    connectionString: url,
    types,
    application_name: 'diorama',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }
}

export const openPool = (connection: pg.ClientConfig, log: Log, max = poolSize): pg.Pool => {
  const pool = new pg.Pool({ ...connection, max, idleTimeoutMillis: idleConnectionTimeoutMs })
  // Without listeners, a connection that breaks (a restarted server) would end the process: the pool speaks
  // for the idle ones, and one that is lent out, between two statements of a transaction, for itself. The pool
  // drops a broken connection on its own and opens another when it is needed.
  pool.on('error', (error) =>
    log.warn({ event: 'database.connection_lost', err: error }, 'an idle database connection was lost'),
  )
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      log.warn({ event: 'database.connection_lost', err: error }, 'a database connection was lost'),
    )
  })
  return pool
}
