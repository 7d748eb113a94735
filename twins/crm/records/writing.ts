import type { Row, WritableTable } from '@diorama/twin-kit/kernel/table'
import type { Call } from '@diorama/twin-kit/kernel/twin'
import { nativeSecond } from '../dates.ts'
import { firstCreated, makeId, podOf } from '../ids.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import { type CrmTables, tableOf } from '../tables.ts'
import { type Org, orgOf } from './org.ts'

/** What a change of records works with. */
export interface Writing {
  /** The organization as the service sees it, past the caller's rights. */
  readonly org: Org
  /** The organization as the caller sees it. */
  readonly own: Org
  readonly schema: Schema
  readonly call: Call<CrmTables>
  readonly userId: string
  /** Now, as rows hold it. */
  readonly stamp: string
  /** The caller saves although a record like it is there. */
  readonly allowDuplicates: boolean
  readonly table: (object: ObjectSchema | string) => WritableTable
  readonly newId: (object: ObjectSchema) => string
}

export const writingOf = (
  schema: Schema,
  call: Call<CrmTables>,
  options: { allowDuplicates?: boolean } = {},
): Writing => {
  const userId = call.actor?.id ?? ''
  const [organization] = call.tables.Organization?.all() ?? []
  const pod = podOf(String(organization?.Id))
  const reading = { schema, tables: call.tables, now: call.now, userId, baseUrl: call.baseUrl }
  return {
    schema,
    call,
    userId,
    org: orgOf({ ...reading, asSystem: true }),
    own: orgOf(reading),
    stamp: nativeSecond(call.now),
    allowDuplicates: options.allowDuplicates === true,
    table: (object) => tableOf(call.tables, typeof object === 'string' ? object : object.name),
    newId: (object) =>
      makeId(object.prefix ?? '000', pod, firstCreated + call.sequence(`id ${object.prefix}`)),
  }
}

/** A record on its way to its table: fields set to null are taken off. */
export type Draft = Record<string, unknown>

/** Removes what is empty, as rows are kept. */
export const withoutNulls = (fields: Draft): Row =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

export const str = (row: Row | Draft | undefined, field: string): string | undefined => {
  const value = row?.[field]
  return typeof value === 'string' ? value : undefined
}
export const num = (row: Row | Draft | undefined, field: string): number | undefined => {
  const value = row?.[field]
  return typeof value === 'number' ? value : undefined
}
