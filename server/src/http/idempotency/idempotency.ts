import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { idempotencyKeyForm, idempotencyKeyRule } from '@diorama/contract/idempotency-key'
import type { Kysely } from 'kysely'
import type { Storage } from '../../storage/storage.ts'
import { ApiError } from '../api-error.ts'
import { Answer } from '../handler.ts'
import type { HttpTables } from '../tables.ts'
import { onceForKey } from './once-for-key.ts'

const abandonedAfterMs = 60_000
const keptForHours = 24
const maxWaitMs = 10_000

type Work = () => Promise<{ status: number; body: unknown }>

export interface Attempt {
  readonly organizationId: string
  readonly key: string
  readonly route: string
  readonly body: Uint8Array
  /** The caller's own key, for replies that hold a secret: only who made the request can read the reply again. */
  readonly sealWith: string | undefined
}

export interface Idempotency {
  readonly once: (attempt: Attempt, work: Work) => Promise<Answer>
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

  /** Takes the key; false when another request has it that is not abandoned. */
  const take = async ({ organizationId, key, route }: Attempt, fingerprint: string): Promise<boolean> => {
    const taken = await db
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
    return taken !== undefined
  }

  const find = ({ organizationId, key }: Attempt) =>
    db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('key', '=', key)
      .executeTakeFirst()

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

  const answer = async (attempt: Attempt, work: Work): Promise<Answer> => {
    try {
      const { status, body } = await work()
      const { sealWith } = attempt
      await finish(attempt, status, sealWith === undefined ? body : seal(body, sealWith, random))
      return new Answer(status, body)
    } catch (error) {
      await forget(attempt)
      throw error
    }
  }

  return {
    once: async (attempt, work) => {
      if (!idempotencyKeyForm.test(attempt.key))
        throw new ApiError('invalid_idempotency_key', `Idempotency-Key ${idempotencyKeyRule}.`)
      const { route, body, sealWith } = attempt
      const fingerprint = createHash('sha256').update(route).update('\0').update(body).digest('hex')
      let isTaken = false
      const outcome = await onceForKey({
        key: attempt.key,
        fingerprint,
        find: async () => {
          isTaken = await take(attempt, fingerprint)
          return isTaken ? undefined : find(attempt)
        },
        isAnswered: ({ status }) => status !== null,
        make: async () => (isTaken ? answer(attempt, work) : undefined),
        maxWaitMs,
        tooSlow: () =>
          new ApiError('conflict', 'A request with this Idempotency-Key is still being answered.', {
            retryAfterSeconds: 1,
          }),
      })
      return 'made' in outcome ? outcome.made : new Answer(200, open(outcome.earlier.reply, sealWith))
    },
    sweep: () =>
      db
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', new Date(now() - keptForHours * 3_600_000))
        .execute(),
  }
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
