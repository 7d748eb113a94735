import type { ObjectSchema } from '../schema/schema.ts'
import { parseCondition } from '../soql/syntax/parse.ts'
import { filterOf } from '../soql/where.ts'
import { refuse } from './refusals.ts'
import { type Draft, type Writing, withoutNulls } from './writing.ts'

/** The organization's own validation rules: a record that meets a rule's condition is refused with its message. */
export const checkRules = (writing: Writing, object: ObjectSchema, draft: Draft): void => {
  for (const rule of writing.schema.rules) {
    if (rule.object !== object.name) continue
    const scope = { org: writing.org, text: rule.refuseWhen, object, aliases: new Map() }
    const { test } = filterOf(scope, parseCondition(rule.refuseWhen), () => new Set())
    if (test(withoutNulls(draft)))
      throw refuse('FIELD_CUSTOM_VALIDATION_EXCEPTION', rule.message, rule.field ? [rule.field] : [])
  }
}
