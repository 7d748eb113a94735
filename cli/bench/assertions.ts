import type { Projected } from './projection.ts'

/** What a task of the benchmark asserts of the difference. */
export interface Assertion {
  readonly diff_type: 'added' | 'removed' | 'changed'
  readonly entity: string
  readonly where?: Readonly<Record<string, unknown>>
  readonly expected_count?: number | { readonly min?: number; readonly max?: number } | null
  readonly expected_changes?: Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>
  readonly strict?: boolean
  readonly ignore?: readonly string[]
}

export interface Answer {
  readonly assertions: readonly Assertion[]
  readonly ignore_fields?: Readonly<Record<string, readonly string[]>>
}

/** Holds a difference against the assertions: which of them failed, by their number. Self-contained, as `project` is. */
export const failedAssertions = ({ assertions, ignore_fields = {} }: Answer, tables: Projected): number[] => {
  type Fields = Record<string, unknown>
  const at = (row: Fields, path: string): unknown =>
    path.split('.').reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], row)
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))
  const pattern = (written: string): RegExp => {
    const flags = /^\(\?([a-z]+)\)/.exec(written)
    const body = flags ? written.slice(flags[0].length) : written
    return new RegExp(body, [...new Set(flags?.[1] ?? '')].filter((flag) => 'ims'.includes(flag)).join(''))
  }
  const same = (a: unknown, b: unknown): boolean =>
    (a ?? null) === (b ?? null) || JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
  const holds = (operator: string, value: unknown, wanted: unknown): boolean => {
    switch (operator) {
      case 'eq':
        return same(value, wanted)
      case 'ne':
        return !same(value, wanted)
      case 'contains':
        return Array.isArray(value)
          ? value.some((one) => same(one, wanted))
          : value !== null && value !== undefined && text(value).includes(String(wanted))
      case 'not_contains':
        return !text(value).includes(String(wanted))
      case 'i_contains':
        return text(value).toLowerCase().includes(String(wanted).toLowerCase())
      case 'starts_with':
        return text(value).startsWith(String(wanted))
      case 'ends_with':
        return text(value).endsWith(String(wanted))
      case 'regex':
        return value !== null && value !== undefined && pattern(String(wanted)).test(text(value))
      case 'in':
        return Array.isArray(wanted) && wanted.some((one) => same(one, value))
      case 'not_in':
        return Array.isArray(wanted) && !wanted.some((one) => same(one, value))
      case 'exists':
        return (value !== null && value !== undefined) === (wanted === true)
      case 'gt':
        return Number(value) > Number(wanted)
      case 'gte':
        return Number(value) >= Number(wanted)
      case 'lt':
        return Number(value) < Number(wanted)
      case 'lte':
        return Number(value) <= Number(wanted)
      default:
        throw new Error(`the operator ${operator} is not known`)
    }
  }
  /** A value that is no object is to be equal. */
  const fits = (value: unknown, wanted: unknown): boolean =>
    typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)
      ? Object.entries(wanted).every(([operator, one]) => holds(operator, value, one))
      : same(value, wanted)
  const matches = (row: Fields, where: Readonly<Fields>): boolean =>
    Object.entries(where).every(([path, wanted]) => fits(at(row, path), wanted))

  const passes = (assertion: Assertion): boolean => {
    const { diff_type, entity, where = {}, expected_changes, strict = true, ignore = [] } = assertion
    const table = tables[entity] ?? { added: [], removed: [], changed: [] }
    let count = 0
    if (diff_type !== 'changed') count = table[diff_type].filter((row) => matches(row, where)).length
    else {
      const left = new Set([...(ignore_fields.global ?? []), ...(ignore_fields[entity] ?? []), ...ignore])
      for (const { before, after } of table.changed) {
        if (!matches(before, where) && !matches(after, where)) continue
        const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
        const differing = names.filter((name) => !left.has(name) && !same(before[name], after[name]))
        if (expected_changes && strict && differing.some((name) => !(name in expected_changes))) return false
        const isMet = Object.entries(expected_changes ?? {}).every(
          ([name, wanted]) =>
            !same(at(before, name), at(after, name)) &&
            (!('from' in wanted) || fits(at(before, name), wanted.from)) &&
            (!('to' in wanted) || fits(at(after, name), wanted.to)),
        )
        if (isMet) count++
      }
    }
    const expected = assertion.expected_count
    if (typeof expected === 'number') return count === expected
    const { min = 1, max = Number.POSITIVE_INFINITY } = expected ?? {}
    return count >= min && count <= max
  }
  return assertions.flatMap((assertion, n) => (passes(assertion) ? [] : [n]))
}
