import type { Row } from '@diorama/twin-kit/kernel/table'
import { evaluate } from '../formula/evaluate.ts'
import { parseFormula } from '../formula/parse.ts'
import { environmentOf } from '../formula/record.ts'
import type { ValidationRule } from '../schema/customization.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { parseCondition } from '../soql/syntax/parse.ts'
import { filterOf } from '../soql/where.ts'
import { refuse } from './refusals.ts'
import { type Draft, type Writing, withoutNulls } from './writing.ts'

interface Validated {
  readonly object: ObjectSchema
  readonly draft: Draft
  readonly before: Row | undefined
}

/** The organization's own validation rules: a record that meets a rule's condition is refused with its message. */
export const checkRules = (writing: Writing, validated: Validated): void => {
  for (const rule of writing.schema.rules)
    if (rule.object === validated.object.name && isMet(writing, rule, validated))
      throw refuse('FIELD_CUSTOM_VALIDATION_EXCEPTION', rule.message, rule.field ? [rule.field] : [])
}

const isMet = (writing: Writing, rule: ValidationRule, { object, draft, before }: Validated): boolean => {
  const row = withoutNulls(draft)
  if (rule.formula !== undefined)
    return evaluate(parseFormula(rule.formula), environmentOf(writing.org, object, { row, before })) === true
  if (rule.refuseWhen === undefined) return false
  const scope = { org: writing.org, text: rule.refuseWhen, object, aliases: new Map() }
  return filterOf(scope, parseCondition(rule.refuseWhen), () => new Set()).test(row)
}
