import type { Transaction } from 'kysely'

/**
 * The same transaction as the noun that is called sees it: typed to that noun's tables. One transaction may span the
 * tables of several nouns, but each of them reads and writes its own alone.
 */
export const transactionFor = <Tables>(
  trx: Pick<Transaction<unknown>, 'isTransaction'>,
): Transaction<Tables> => trx as Transaction<Tables>
