import type { Row } from '@diorama/twin-kit/kernel/table'
import { isRecord } from '@diorama/twin-kit/records'

/** A record has the fields that its service gives it, and these. */
export const fields = (collection: string): readonly string[] =>
  collection === 'record' ? ['stub_service', 'stub_path'] : []

/** A record as its service shows it, with where it is. */
export const present = (collection: string, row: Row): Row =>
  collection === 'record' && isRecord(row.value)
    ? { ...row.value, stub_service: row.service, stub_path: `${row.collection}/${row.record}` }
    : row
