import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

export interface Lease {
  readonly name: string
  readonly holder: string
  /** Larger at each take-over: a write of an earlier holder is recognised by its smaller token (a fencing token). */
  readonly token: number
  readonly expiresAt: Date
  readonly ttlMs: number
  readonly data: unknown
}

export interface Holder {
  readonly name: string
  readonly holder: string
  readonly token: number
  readonly expiresAt: Date
  readonly data: unknown
}

export interface LeaseTerms {
  /** Unique to one life of one process: the holder of a live lease is refused it as anyone else is. */
  readonly holder: string
  readonly ttlMs: number
  /** What others should know of the holder, such as where it answers. */
  readonly data?: unknown
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  readonly code = 'lease_lost'
  readonly lease: Lease

  constructor(lease: Lease) {
    super(`The lease "${lease.name}" is no longer held by ${lease.holder}.`)
    this.lease = lease
  }
}

/**
 * Names leased to a holder until a time. The database's clock alone judges the time, so the machines' own
 * clocks may differ. Many names go in one statement: a host may hold thousands.
 */
export class Leases {
  readonly #db: Kysely<Database>

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  /** Undefined while someone holds it. */
  async acquire(name: string, terms: LeaseTerms): Promise<Lease | undefined> {
    const [lease] = await this.acquireMany([name], terms)
    return lease
  }

  /** Those of the names that were free or had expired, in the order asked. */
  async acquireMany(names: readonly string[], terms: LeaseTerms): Promise<readonly Lease[]> {
    if (names.length === 0) return []
    // Rows are locked in the order of their names everywhere, so that two such statements never deadlock.
    const { rows } = await sql<Holder>`
      insert into leases (name, holder, expires_at, token, data)
      select name, ${terms.holder}, ${after(terms.ttlMs)}, nextval('lease_tokens'), ${toJson(terms.data)}::jsonb
      from (select distinct name from unnest(${[...names]}::text[]) as name order by name) as wanted
      on conflict (name) do update
        set holder = excluded.holder, expires_at = ${after(terms.ttlMs)},
            token = nextval('lease_tokens'), data = excluded.data
        where leases.expires_at <= clock_timestamp()
      returning name, holder, token, expires_at as "expiresAt", data`.execute(this.#db)
    return inOrder(names, rows, terms.ttlMs)
  }

  /** Undefined when it has expired, was taken over or released. */
  async renew(lease: Lease): Promise<Lease | undefined> {
    const [renewed] = await this.renewMany([lease])
    return renewed
  }

  /** Those that are still held, in the order given; the others are lost. */
  async renewMany(leases: readonly Lease[]): Promise<readonly Lease[]> {
    if (leases.length === 0) return []
    const { rows } = await sql<Holder>`
      with wanted as (
        select leases.name, given.ttl_ms
        from leases join unnest(
          ${leases.map((lease) => lease.name)}::text[], ${leases.map((lease) => lease.holder)}::text[],
          ${leases.map((lease) => lease.token)}::bigint[], ${leases.map((lease) => lease.ttlMs)}::float8[]
        ) as given (name, holder, token, ttl_ms) using (name)
        where leases.holder = given.holder and leases.token = given.token
          and leases.expires_at > clock_timestamp()
        order by leases.name
        for update of leases
      )
      update leases set expires_at = clock_timestamp() + wanted.ttl_ms * interval '1 millisecond'
      from wanted where leases.name = wanted.name
      returning leases.name, holder, token, expires_at as "expiresAt", data`.execute(this.#db)
    const found = new Map(rows.map((row) => [row.name, row]))
    return leases.flatMap((lease) => {
      const row = found.get(lease.name)
      return row?.token === lease.token ? [{ ...row, ttlMs: lease.ttlMs }] : []
    })
  }

  /** False when it was no longer ours to release. */
  async release(lease: Lease): Promise<boolean> {
    return (await this.releaseMany([lease])) === 1
  }

  /** The number that were still ours. The rows stay, so that tokens keep growing; `prune` removes them. */
  async releaseMany(leases: readonly Lease[]): Promise<number> {
    if (leases.length === 0) return 0
    const { rows } = await sql`
      with wanted as (
        select leases.name
        from leases join unnest(
          ${leases.map((lease) => lease.name)}::text[], ${leases.map((lease) => lease.holder)}::text[],
          ${leases.map((lease) => lease.token)}::bigint[]
        ) as given (name, holder, token) using (name)
        where leases.holder = given.holder and leases.token = given.token
        order by leases.name
        for update of leases
      )
      update leases set holder = '', expires_at = clock_timestamp(), data = null
      from wanted where leases.name = wanted.name
      returning leases.name`.execute(this.#db)
    return rows.length
  }

  async holderOf(name: string): Promise<Holder | undefined> {
    const { rows } = await sql<Holder>`
      select name, holder, token, expires_at as "expiresAt", data from leases
      where name = ${name} and expires_at > clock_timestamp()`.execute(this.#db)
    return rows[0]
  }

  /**
   * Throws LeaseLost unless the lease is held, and keeps anyone from taking it over until the transaction
   * ends: what is written in it is written by the holder.
   */
  async assertIn(trx: Transaction<Database>, lease: Lease): Promise<void> {
    const { rows } = await sql`
      select 1 from leases
      where name = ${lease.name} and holder = ${lease.holder} and token = ${lease.token}
      for share`.execute(trx)
    if (rows.length === 0) throw new LeaseLost(lease)
  }

  /** Removes rows that were not held for the given time; returns their number. */
  async prune(options: { readonly unheldForMs: number }): Promise<number> {
    const { rows } = await sql`
      delete from leases where name in (
        select name from leases
        where expires_at < clock_timestamp() - ${options.unheldForMs}::float8 * interval '1 millisecond'
        order by name for update skip locked
      ) returning name`.execute(this.#db)
    return rows.length
  }
}

const after = (ttlMs: number): RawBuilder<Date> =>
  sql`clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond'`

const toJson = (data: unknown): string | null => (data === undefined ? null : JSON.stringify(data))

const inOrder = (names: readonly string[], rows: readonly Holder[], ttlMs: number): readonly Lease[] => {
  const found = new Map(rows.map((row) => [row.name, row]))
  return [...new Set(names)].flatMap((name) => {
    const row = found.get(name)
    return row === undefined ? [] : [{ ...row, ttlMs }]
  })
}
