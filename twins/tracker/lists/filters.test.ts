import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { idOf, startTracker } from '../testing/world.ts'

const { data, ask } = startTracker()
data(`mutation { a: issueUpdate(id: "ENG-2", input: { parentId: "ENG-1", estimate: 3, dueDate: "2026-03-10" }) { success }
  b: issueUpdate(id: "OPS-1", input: { estimate: 1 }) { success }
  c: issueUpdate(id: "OPS-2", input: { dueDate: "2026-02-20", description: "" }) { success } }`)

/** Everything that the generated filters ask about, as a client sees it. */
interface Issue {
  readonly id: string
  readonly identifier: string
  readonly title: string
  readonly description: string | null
  readonly priority: number
  readonly estimate: number | null
  readonly dueDate: string | null
  readonly createdAt: string
  readonly assignee: Person | null
  readonly parent: Issue | null
  readonly labels: { nodes: { id: string; name: string }[] }
  readonly comments: { nodes: { id: string; body: string }[] }
}
interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
}
const own = `id identifier title description priority estimate dueDate createdAt assignee { id name email }
  labels(first: 9) { nodes { id name } } comments(first: 9) { nodes { id body } }`
const issues: Issue[] = data(`{ issues(first: 9) { nodes { ${own} parent { ${own} } } } }`).issues.nodes

type Operands = Record<string, unknown>
type Verdict = boolean | 'no condition'

/** An interpreter of filters that shares nothing with the twin's compiler: three-valued, over the answers themselves. */
const holdsAll = (verdicts: Verdict[]): Verdict => {
  const said = verdicts.filter((verdict) => verdict !== 'no condition')
  return said.length === 0 ? 'no condition' : said.every(Boolean)
}
const holdsAny = (verdicts: Verdict[]): Verdict =>
  verdicts.length === 0 || verdicts.includes('no condition') ? 'no condition' : verdicts.some(Boolean)

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const positive: Record<string, (value: string, operand: string) => boolean> = {
  eqIgnoreCase: (v, o) => v.toLowerCase() === o.toLowerCase(),
  startsWith: (v, o) => v.indexOf(o) === 0,
  startsWithIgnoreCase: (v, o) => v.toLowerCase().indexOf(o.toLowerCase()) === 0,
  endsWith: (v, o) => v.slice(v.length - o.length) === o,
  contains: (v, o) => v.split(o).length > 1 || o === '',
  containsIgnoreCase: (v, o) => v.toLowerCase().split(o.toLowerCase()).length > 1 || o === '',
  containsIgnoreCaseAndAccent: (v, o) => fold(v).split(fold(o)).length > 1 || o === '',
}
const negated: Record<string, string> = {
  neqIgnoreCase: 'eqIgnoreCase',
  notStartsWith: 'startsWith',
  notEndsWith: 'endsWith',
  notContains: 'contains',
  notContainsIgnoreCase: 'containsIgnoreCase',
}

const compared = (value: string | number | null, name: string, operand: unknown): Verdict => {
  if (operand === null || operand === undefined) return 'no condition'
  if (name === 'null') return (value === null) === operand
  if (name === 'eq') return value === operand
  if (name === 'neq') return value !== operand
  if (name === 'in') return Array.isArray(operand) && operand.some((item) => item === value)
  if (name === 'nin') return Array.isArray(operand) && operand.every((item) => item !== value)
  const base = negated[name]
  if (base) return !compared(value, base, operand)
  const words = positive[name]
  if (words) return typeof value === 'string' && words(value, String(operand))
  if (value === null) return false
  const [a, b] = [value, operand as typeof value]
  return { lt: a < b, lte: a <= b, gt: a > b, gte: a >= b }[name] ?? assert.fail(name)
}
const comparator = (value: string | number | null, operands: Operands): Verdict =>
  holdsAll(Object.entries(operands).map(([name, operand]) => compared(value, name, operand)))

const nodesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null && 'nodes' in value && Array.isArray(value.nodes)
    ? value.nodes
    : []

const judged = (record: object | null, filter: Operands): Verdict =>
  holdsAll(
    Object.entries(filter).map(([key, given]): Verdict => {
      if (given === null || given === undefined) return 'no condition'
      if (key === 'null') return (record === null) === given
      if (key === 'and') return holdsAll((given as Operands[]).map((part) => judged(record, part)))
      if (key === 'or') return holdsAny((given as Operands[]).map((part) => judged(record, part)))
      if (key === 'labels' || key === 'comments') {
        const verdict = collection(
          record === null ? [] : nodesOf(Reflect.get(record, key)),
          given as Operands,
        )
        return record === null && verdict !== 'no condition' ? false : verdict
      }
      if (key === 'assignee' || key === 'parent') {
        const related = record === null ? null : (Reflect.get(record, key) ?? null)
        const verdict = judged(related, given as Operands)
        return record === null && verdict !== 'no condition' ? false : verdict
      }
      const verdict = comparator(record === null ? null : Reflect.get(record, key), given as Operands)
      return record === null && verdict !== 'no condition' ? false : verdict
    }),
  )

const collection = (items: unknown[], filter: Operands): Verdict => {
  const each = (part: unknown) => items.map((item) => judged(item as object, part as Operands))
  const empty = (part: unknown) => judged({ id: '', name: '', body: '' }, part as Operands) === 'no condition'
  const { some, every, none, length, ...bare } = filter
  const quantified = (part: unknown, how: (verdicts: Verdict[]) => boolean): Verdict =>
    part === undefined || part === null || empty(part) ? 'no condition' : how(each(part))
  return holdsAll([
    quantified(some, (verdicts) => verdicts.includes(true)),
    quantified(every, (verdicts) => !verdicts.includes(false)),
    quantified(none, (verdicts) => !verdicts.includes(true)),
    quantified(bare, (verdicts) => verdicts.includes(true)),
    length === undefined || length === null ? 'no condition' : comparator(items.length, length as Operands),
  ])
}

/** Operands: some that match, some that do not, and null, which is what an unset variable becomes. */
const operandsOf = (names: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Operands> =>
  fc
    .dictionary(fc.constantFrom(...names), fc.constant(null), { maxKeys: 2 })
    .chain((keys) =>
      fc.record(
        Object.fromEntries(
          Object.keys(keys).map((name): [string, fc.Arbitrary<unknown>] => [
            name,
            fc.option(
              name === 'null'
                ? fc.boolean()
                : name === 'in' || name === 'nin'
                  ? fc.array(value, { maxLength: 3 })
                  : value,
            ),
          ]),
        ),
      ),
    )
const plain = ['eq', 'neq', 'in', 'nin']
const ordered = [...plain, 'lt', 'lte', 'gt', 'gte']
const textual = [...plain, ...Object.keys(positive), ...Object.keys(negated)]
const text = fc.constantFrom(
  'Pump leaks at 3 bar',
  'pump',
  'P',
  'noisy',
  'Bug',
  'bug',
  'é',
  '',
  'seal',
  'mira',
)
const number = fc.constantFrom(0, 1, 2, 3, 5)
const date = fc.constantFrom('2026-02-12T10:00:00.000Z', '2026-02-13T00:00:00.000Z')
const day = fc.constantFrom('2026-02-20', '2026-03-10', '2026-03-01')
const issueId = fc.constantFrom(...issues.map(({ id }) => id))
const userId = fc.constantFrom(...new Set(issues.flatMap(({ assignee }) => assignee?.id ?? [])), idOf('leak'))
const optional = (fields: Record<string, fc.Arbitrary<unknown>>, maxKeys: number): fc.Arbitrary<Operands> =>
  fc
    .subarray(Object.keys(fields), { maxLength: maxKeys })
    .chain((keys) =>
      fc.record(
        Object.fromEntries(
          keys.map((key) => [key, fc.option(fields[key] ?? fc.constant(null), { freq: 8 })]),
        ),
      ),
    )

const person = optional(
  { id: operandsOf(plain, userId), name: operandsOf(textual, text), null: fc.boolean() },
  2,
)
const named = (field: string) => optional({ [field]: operandsOf(textual, text) }, 1)
const listed = (field: string) =>
  optional(
    {
      some: named(field),
      every: named(field),
      length: operandsOf(ordered, number),
      [field]: operandsOf(textual, text),
    },
    2,
  )
const { filter } = fc.letrec<{ filter: Operands }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    optional(
      {
        id: operandsOf(plain, issueId),
        title: operandsOf(textual, text),
        description: operandsOf([...textual, 'null'], text),
        priority: operandsOf([...ordered, 'null'], number),
        estimate: operandsOf([...ordered, 'null'], number),
        dueDate: operandsOf([...ordered, 'null'], day),
        createdAt: operandsOf(ordered, date),
        assignee: fc.oneof(person, fc.record({ or: fc.array(person, { maxLength: 2 }) })),
        labels: listed('name'),
        comments: listed('body'),
      },
      3,
    ),
    fc.record({ and: fc.array(tie('filter'), { maxLength: 2 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 2 }) }),
    fc.record({ parent: fc.oneof(tie('filter'), fc.record({ null: fc.boolean() })) }),
  ),
}))

const query = 'query($filter: IssueFilter) { issues(filter: $filter) { nodes { identifier } } }'
const found = (given: Operands): string[] =>
  data(query, { filter: given })
    .issues.nodes.map((node: Issue) => node.identifier)
    .sort()

describe('any filter', () => {
  it('lets through what an independent interpreter of it lets through', () => {
    fc.assert(
      fc.property(filter, (given) => {
        const expected = issues.filter((issue) => judged(issue, given) !== false)
        assert.deepEqual(found(given), expected.map(({ identifier }) => identifier).sort())
      }),
      { numRuns: 1_500, seed: 20 },
    )
  })
})

describe('a filter whose operands are unset variables', () => {
  it('is not a condition, at any depth, and makes an `or` match everything', () => {
    const everything = issues.map(({ identifier }) => identifier).sort()
    const types = { a: 'ID', s: 'String', n: 'Float', ids: '[ID!]' }
    const unset = (filter: string) =>
      data(
        `query(${Object.entries(types)
          .filter(([name]) => new RegExp(`\\$${name}\\b`).test(filter))
          .map(([name, type]) => `$${name}: ${type}`)
          .join(', ')}) { issues(filter: ${filter}) { nodes { identifier } } }`,
      )
        .issues.nodes.map((node: Issue) => node.identifier)
        .sort()
    for (const filter of [
      '{ assignee: { id: { eq: $a } } }',
      '{ assignee: { id: { in: $ids } }, priority: { gte: $n } }',
      '{ labels: { some: { name: { eq: $s } } } }',
      '{ labels: { every: { id: { in: $ids } }, length: { gt: $n } } }',
      '{ parent: { assignee: { name: { contains: $s } } } }',
      '{ or: [{ title: { eq: $s } }, { title: { eq: "nothing has this title" } }] }',
      '{ and: [{ project: { id: { eq: $a } } }] }',
    ])
      assert.deepEqual(unset(filter), everything, filter)
    assert.deepEqual(unset('{ team: { key: { eq: "OPS" } }, assignee: { id: { eq: $a } } }'), [
      'OPS-1',
      'OPS-2',
    ])
  })
})

describe('a comparator of ids', () => {
  it('takes identifiers of issues at every depth, in either case', () => {
    const ids = (filter: string) =>
      data(`{ issues(filter: ${filter}) { nodes { identifier } } }`).issues.nodes.map(
        (node: Issue) => node.identifier,
      )
    assert.deepEqual(ids('{ id: { eq: "ENG-1" } }'), ['ENG-1'])
    assert.deepEqual(ids('{ id: { in: ["eng-1", "OPS-2"] } }').sort(), ['ENG-1', 'OPS-2'])
    assert.deepEqual(ids('{ parent: { id: { eq: "ENG-1" } } }'), ['ENG-2'])
    assert.deepEqual(ids('{ id: { eq: "ENG-999" } }'), [])
    assert.deepEqual(ids('{ children: { some: { id: { eq: "ENG-2" } } } }'), ['ENG-1'])
    const comments = data(
      '{ comments(filter: { issue: { id: { eq: "ENG-3" } } }) { nodes { body } } }',
    ).comments
    assert.equal(comments.nodes.length, 1)
  })

  it('refuses what can be no id, in place of finding nothing', () => {
    const { status, body } = ask('{ issues(filter: { team: { id: { eq: "ENG" } } }) { nodes { id } } }')
    assert.equal(status, 200)
    assert.equal(body.data, null)
    assert.equal(body.errors[0].message, 'Argument Validation Error')
    assert.deepEqual(body.errors[0].extensions, {
      validationErrors: [
        {
          target: { eq: 'ENG' },
          value: 'ENG',
          property: 'eq',
          children: [],
          constraints: { isUuid: 'eq must be a UUID' },
        },
      ],
      type: 'invalid input',
      code: 'INVALID_INPUT',
      userError: true,
      userPresentableMessage: 'eq must be a UUID.',
    })
    for (const filter of ['{ assignee: { id: { in: ["mira"] } } }', '{ id: { eq: "not an id" } }'])
      assert.equal(
        ask(`{ issues(filter: ${filter}) { nodes { id } } }`).body.errors[0].extensions.code,
        'INVALID_INPUT',
      )
  })
})

describe('a filter that the twin cannot answer', () => {
  it('is refused and counted, never silently true or false', () => {
    const { body, step } = ask('{ issues(filter: { triageTime: { gt: "P1D" } }) { nodes { id } } }')
    assert.equal(body.errors[0].extensions.type, 'feature not accessible')
    assert.deepEqual(step.notEmulated, ['IssueFilter.triageTime'])
    assert.equal('notEmulated' in body.errors[0].extensions, false)
  })
})
