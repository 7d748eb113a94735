import type { Organization } from './organization.ts'

/** A query, and what it means, said as plain JavaScript over plain records. */
export interface Known {
  readonly soql: string
  /** The records of the answer, or the number that `SELECT COUNT()` gives. Without ORDER BY their order is free. */
  readonly is: (org: Organization) => readonly unknown[] | number
  /** Who asks; the integration, whose clock is Berlin's, unless said. */
  readonly as?: 'mira' | 'dev' | 'lucia' | 'sid'
  /** When it is asked; half past eleven at night on the last of March in Berlin, unless said. */
  readonly at?: string
  /** Deleted records are asked for, too. */
  readonly all?: true
}
