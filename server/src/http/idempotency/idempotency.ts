import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Storage } from '../../storage/storage.ts'
import { ApiError } from '../api-error.ts'
import { Answer } from '../handler.ts'
import type { HttpTables } from '../tables.ts'
import { madeBySameRequest } from './key.ts'

const keyForm = /^[A-Za-z0-9._:-]{1,128}$/
const abandonedAfterMs = 60_000
const keptForHours = 24
const waitMs = 50
const waits = 200

export interface Attempt {
  readonly organizationId: string
  readonly key: string
  readonly route: string
  readonly body: Uint8Array
  /** The caller's own key, for replies that hold a secret: only who made the request can read the reply again. */
  readonly sealWith: string | undefined
}

export interface Idempotency {
  readonly once: (attempt: Attempt, work: () => Promise<{ status: number; body: unknown }>) => Promise<Answer>
  /** Removes what is older than a day. */
  readonly sweep: () => Promise<unknown>
}

/** Runs a create once for each `Idempotency-Key`: the same request again gets the first reply, another one a conflict. */
export const openIdempotency = ({
  storage,
  random,
  now,
}: {
  storage: Storage
  random: (bytes: number) => Uint8Array
  now: () => number
}): Idempotency => {
  const db: Kysely<HttpTables> = storage.db

  const begin = async ({ organizationId, key, route, body }: Attempt): Promise<'first' | StoredReply> => {
    const fingerprint = createHash('sha256').update(route).update('\0').update(body).digest('hex')
    for (let n = 0; n < waits; n++) {
      const first = await db
        .insertInto('idempotency_keys')
        .values({ organization_id: organizationId, key, fingerprint, route, status: null, reply: null })
        .onConflict((conflict) =>
          conflict
            .columns(['organization_id', 'key'])
            .doUpdateSet({ fingerprint, route, status: null, reply: null, created_at: new Date(now()) })
            .where(({ eb, ref }) =>
              eb.or([
                eb.and([
                  eb(ref('idempotency_keys.status'), 'is', null),
                  eb(ref('idempotency_keys.created_at'), '<', new Date(now() - abandonedAfterMs)),
                ]),
                eb(ref('idempotency_keys.created_at'), '<', new Date(now() - keptForHours * 3_600_000)),
              ]),
            ),
        )
        .returning('key')
        .executeTakeFirst()
      if (first) return 'first'
      const row = await db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('key', '=', key)
        .executeTakeFirst()
      const earlier = madeBySameRequest(row, { key, fingerprint })
      if (earlier && earlier.status !== null) return { reply: earlier.reply }
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
    throw new ApiError('conflict', 'A request with this Idempotency-Key is still being answered.', {
      retryAfterSeconds: 1,
    })
  }

  const finish = async ({ organizationId, key }: Attempt, status: number, reply: unknown) => {
    await db
      .updateTable('idempotency_keys')
      .set({ status, reply: JSON.stringify(reply) })
      .where('organization_id', '=', organizationId)
      .where('key', '=', key)
      .execute()
  }

  const forget = ({ organizationId, key }: Attempt) =>
    db
      .deleteFrom('idempotency_keys')
      .where('organization_id', '=', organizationId)
      .where('key', '=', key)
      .where('status', 'is', null)
      .execute()

  return {
    once: async (
      attempt: Attempt,
      work: () => Promise<{ status: number; body: unknown }>,
    ): Promise<Answer> => {
      if (!keyForm.test(attempt.key))
        throw new ApiError(
          'invalid_idempotency_key',
          'Idempotency-Key must have 1 to 128 letters, digits, dashes, underscores, dots or colons.',
        )
      const begun = await begin(attempt)
      if (begun !== 'first') return new Answer(200, open(begun.reply, attempt.sealWith))
      try {
        const { status, body } = await work()
        await finish(
          attempt,
          status,
          attempt.sealWith === undefined ? body : seal(body, attempt.sealWith, random),
        )
        return new Answer(status, body)
      } catch (error) {
        await forget(attempt)
        throw error
      }
    },
    sweep: () =>
      db
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', new Date(now() - keptForHours * 3_600_000))
        .execute(),
  }
}

interface StoredReply {
  readonly reply: unknown
}

const keyFrom = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'idempotent reply', 32))

const seal = (body: unknown, secret: string, random: (bytes: number) => Uint8Array) => {
  const iv = random(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(secret), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(body)), cipher.final(), cipher.getAuthTag()])
  return { sealed: Buffer.concat([iv, sealed]).toString('base64') }
}

const open = (reply: unknown, secret: string | undefined): unknown => {
  if (secret === undefined) return reply
  try {
    const bytes = Buffer.from((reply as { sealed: string }).sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', keyFrom(secret), bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(-16))
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString())
  } catch (cause) {
    throw new ApiError(
      'conflict',
      'The reply to this Idempotency-Key can be read again only with the API key that made it.',
      { cause },
    )
  }
}
