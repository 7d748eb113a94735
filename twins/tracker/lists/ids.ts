import { type Context, find } from '../context.ts'
import { invalidArgument } from '../shapes/refusals.ts'
import { isUuid } from '../values/uuid.ts'
import type { Test } from './comparators.ts'
import { seek } from './lookup.ts'

/** The comparators of ids, with what each takes besides a UUID. */
export const idComparators: ReadonlyMap<string, { shape: RegExp; what: string } | undefined> = new Map([
  ['IDComparator', undefined],
  ['IssueIDComparator', { shape: /^[a-z][a-z0-9]*-\d+$/i, what: 'issue identifier' }],
  ['EntityIdentifierIDComparator', { shape: /^[a-z0-9][a-z0-9-]*$/i, what: 'identifier' }],
])

/** Compares ids. Identifiers such as `ENG-1` are looked up once; what can be no id is refused, not merely unmatched. */
export const idTest = (
  type: string,
  operands: Readonly<Record<string, unknown>>,
  { subject, context }: { subject: string; context: Context },
): Test | undefined => {
  const named = idComparators.get(type)
  const idOf = (property: string, value: unknown): unknown => {
    if (isUuid(value)) return value.toLowerCase()
    if (find(context, subject, value)) return value
    if (!named?.shape.test(String(value))) throw notAnId(operands, { property, value, what: named?.what })
    const entity =
      subject === 'Issue' || subject === 'Project' || subject === 'Initiative' ? subject : 'Issue'
    return seek(context, entity, value)?.id
  }
  const tests = Object.entries(operands).flatMap(([property, operand]): Test[] => {
    if (operand === undefined || operand === null) return []
    const ids = new Set(
      Array.isArray(operand) ? operand.map((item) => idOf(property, item)) : [idOf(property, operand)],
    )
    const wanted = property === 'eq' || property === 'in'
    return [(value) => ids.has(value) === wanted]
  })
  return tests.length === 0 ? undefined : (value) => tests.every((test) => test(value))
}

const notAnId = (
  target: Readonly<Record<string, unknown>>,
  { property, value, what }: { property: string; value: unknown; what: string | undefined },
) => {
  const must = what === undefined ? 'must be a UUID' : `must be a UUID or ${what}`
  const list = Array.isArray(target[property])
  return invalidArgument({
    target: { ...target },
    property,
    value: list ? target[property] : value,
    constraints: { isUuid: list ? `each value in ${property} ${must}` : `${property} ${must}` },
  })
}
