import type { Row } from '@diorama/twin-kit/kernel/table'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { z } from 'zod'
import type { Org } from '../records/organization.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import { parseCondition } from '../soql/syntax/parse.ts'
import { filterOf } from '../soql/where.ts'
import type { OutboundMessage } from './table.ts'

/** Whether a record meets the condition of a rule, which is that of a WHERE clause. */
export const conditionOf = (org: Org, object: ObjectSchema, text: string | null): ((row: Row) => boolean) => {
  if (text === null) return () => true
  const scope = { org, text, object, aliases: new Map() }
  return filterOf(scope, parseCondition(text), () => new Set()).test
}

/** Kinds of fields that a message cannot hold. */
const unsendable: ReadonlySet<string> = new Set(['address', 'base64', 'location'])

/** The message with the names that the schema gives to its object and fields; refused where there is no such thing. */
export const checkedMessage = (
  schema: Schema,
  org: Org,
  message: z.infer<typeof OutboundMessage>,
  pointer: string,
): z.infer<typeof OutboundMessage> => {
  const fail = (at: string, sentence: string) =>
    new VendorError('invalid_message', sentence, { data: { pointer: `${pointer}/${at}` } })
  const object = schema.object(message.object)
  if (!object?.createable) throw fail('object', 'The organization has no such object with workflow rules.')
  const fields = message.fields.map((name, n) => {
    const field = object.field(name)
    if (!field || unsendable.has(field.type))
      throw fail(`fields/${n}`, `${object.name} has no such field that can be sent.`)
    return field.name
  })
  try {
    conditionOf(org, object, message.condition)
  } catch (error) {
    if (error instanceof VendorError) throw fail('condition', error.message)
    throw error
  }
  return { ...message, object: object.name, fields: [...new Set(fields)] }
}
