import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { StorageFailure } from '../failure.ts'
import type { Database } from '../schema.ts'
import { createSealing, keyBytes, type Sealing } from './sealing.ts'

const fileName = 'encryption-key'

export interface SealingDeps {
  readonly db: Kysely<Database>
  /** The operator's keys, the current one first; none to use the key file of the data folder. */
  readonly configured: readonly Uint8Array[]
  readonly dataDir: string
  readonly random: (bytes: number) => Uint8Array
}

/** The sealing of this database's secrets. Refuses to start with keys that cannot open what is already stored. */
export const openSealing = async ({ db, configured, dataDir, random }: SealingDeps): Promise<Sealing> => {
  const keys = configured.length > 0 ? configured : [await keyFile(join(dataDir, fileName), random)]
  const sealing = createSealing({ keys, random })
  await register(db, sealing)
  return sealing
}

/** Created at the first start, for the owner alone. */
const keyFile = async (path: string, random: (bytes: number) => Uint8Array): Promise<Uint8Array> => {
  try {
    await writeFile(path, `${Buffer.from(random(keyBytes)).toString('base64')}\n`, {
      flag: 'wx',
      mode: 0o600,
    })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    await chmod(path, 0o600)
  }
  const key = parseEncryptionKey((await readFile(path, 'utf8')).trim())
  if (key) return key
  throw new StorageFailure(
    'encryption_key',
    `${path} does not hold a key of 32 bytes in base64. Restore it from your backup.`,
  )
}

/** 32 bytes in base64, base64url or hexadecimal. */
export const parseEncryptionKey = (text: string): Uint8Array | undefined => {
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? 'hex' : /^[\w+/-]{43}=?$/.test(text) ? 'base64' : undefined
  const key = encoding === undefined ? undefined : Buffer.from(text, encoding)
  return key?.length === keyBytes ? key : undefined
}

/** The database remembers the ids of the keys that it was written with, so that a node with others cannot join. */
const register = (db: Kysely<Database>, { currentKeyId, keyIds }: Sealing): Promise<void> =>
  db.transaction().execute(async (trx) => {
    // Two nodes that start at once with different keys must not both be the first.
    await sql`lock table encryption_keys in exclusive mode`.execute(trx)
    const { rows } = await sql<{ key_id: string }>`select key_id from encryption_keys`.execute(trx)
    const missing = rows.map((row) => row.key_id).filter((id) => !keyIds.includes(id))
    if (missing.length > 0) throw otherKey(missing)
    await sql`insert into encryption_keys (key_id) values (${currentKeyId}) on conflict do nothing`.execute(
      trx,
    )
  })

const otherKey = (ids: readonly string[]): StorageFailure =>
  new StorageFailure(
    'encryption_key',
    `The secrets in this database were encrypted with the key ${ids.join(', ')}, which this process does not have. ` +
      'Set DIORAMA_ENCRYPTION_KEY to the same value on every node; after a rotation, list the new key first and the ' +
      'older ones after it, separated by commas.',
  )
