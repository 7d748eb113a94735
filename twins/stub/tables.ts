import { table } from '@diorama/twin-kit/kernel/table'
import { z } from 'zod'

const text = z.string()

const Route = z.object({
  ...{ id: text, service: text, method: text, path: text, count: z.int() },
  role: z.enum(['list', 'create', 'read', 'replace', 'patch', 'delete', 'example', 'none']),
  ...{ status: z.int(), example: z.unknown(), hasBody: z.boolean(), idField: text, isNumberId: z.boolean() },
  ...{ wrap: text.nullable(), required: z.array(text), filters: z.array(text) },
  ...{ notFound: z.unknown(), invalidStatus: z.int() },
})
export type Route = z.infer<typeof Route>

const Recording = z.object({
  ...{ id: text, match: text, order: z.int(), status: z.int(), contentType: text, reply: text },
  isBase64: z.boolean(),
})
export type Recording = z.infer<typeof Recording>

const Stored = z.object({
  ...{ id: text, service: text, collection: text, record: text },
  value: z.record(z.string(), z.unknown()),
})
export type Stored = z.infer<typeof Stored>

export const tables = {
  record: table({
    key: 'id',
    row: Stored,
    indexes: { collection: { by: (one: Stored) => `${one.service} ${one.collection}` } },
  }),
  person: table({ key: 'id', row: z.object({ id: text, name: text, email: text }) }),
  /** Where each service is reached. */
  place: table({
    key: 'id',
    row: z.object({ id: text, service: text, host: text, base: text }),
    indexes: { host: { by: (one: { host: string }) => one.host } },
    internal: true,
  }),
  route: table({
    key: 'id',
    row: Route,
    indexes: { shape: { by: (one: Route) => `${one.service} ${one.count}` } },
    internal: true,
  }),
  recording: table({
    key: 'id',
    row: Recording,
    indexes: { match: { by: (one: Recording) => one.match, order: (one: Recording) => one.order } },
    internal: true,
  }),
  /** How many of the replies to a request have been given. */
  played: table({ key: 'id', row: z.object({ id: text, count: z.int() }), internal: true }),
}
export type StubTables = typeof tables
