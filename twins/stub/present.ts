import type { Row } from '@diorama/twin-kit/kernel/table'
import { isObject } from './shapes/json.ts'

/** A record as its service shows it, with where it is. */
export const present = (collection: string, row: Row): Row =>
  collection === 'record' && isObject(row.value)
    ? { ...row.value, stub_service: row.service, stub_path: `${row.collection}/${row.record}` }
    : row
