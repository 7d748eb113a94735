import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { databaseUser } from './cluster.ts'

export const passwordFile = 'password'
const rulesFile = 'pg_hba.conf'
const passwordBytes = 32
/** The password is random, so that a slow hash protects nothing and would only slow every connection down. */
const scramIterations = 64
const rulesWith = (method: 'trust' | 'scram-sha-256'): string =>
  `# Written by Diorama at each start.\nlocal all all ${method}\nlocal replication all ${method}\n`

export interface PreparedPassword {
  readonly password: string
  /** Whether the server does not know it yet, and asks for none until `requirePassword`. */
  readonly isNew: boolean
}

interface PasswordPlace {
  /** Where the password is kept, for its owner alone. */
  readonly home: string
  /** The folder of the database's files. */
  readonly folder: string
}

/**
 * Before the server starts: the password that its socket asks for. Where a database has none yet, or the password was
 * lost, the server is started without one and gets it from `requirePassword`; so old data folders migrate.
 */
export const preparePassword = (
  { home, folder }: PasswordPlace,
  random: (bytes: number) => Uint8Array,
): PreparedPassword => {
  const known = readIfThere(join(home, passwordFile))
  if (known && readIfThere(join(folder, rulesFile)) === rulesWith('scram-sha-256'))
    return { password: known, isNew: false }
  const password = known ?? Buffer.from(random(passwordBytes)).toString('base64url')
  const draft = join(home, `${passwordFile}.new`)
  writeFileSync(draft, password, { mode: 0o600, flush: true })
  renameSync(draft, join(home, passwordFile))
  writeFileSync(join(folder, rulesFile), rulesWith('trust'))
  return { password, isNew: true }
}

/** When the server runs: sets the password, and from here on it is required to connect. */
export const requirePassword = async (parts: {
  folder: string
  url: string
  password: string
}): Promise<void> => {
  const client = new pg.Client({ connectionString: parts.url })
  await client.connect()
  try {
    await client.query(`set scram_iterations = ${scramIterations}`)
    await client.query(`set password_encryption = 'scram-sha-256'`)
    await client.query(`alter role ${databaseUser} password ${client.escapeLiteral(parts.password)}`)
    writeFileSync(join(parts.folder, rulesFile), rulesWith('scram-sha-256'), { flush: true })
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8') || undefined
  } catch {
    return undefined
  }
}
