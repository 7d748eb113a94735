import fc from 'fast-check'

const word = fc.constantFrom(
  ...[
    'Id',
    'Name',
    'Owner.Name',
    'Account.Name',
    'Amount',
    'CloseDate',
    'CreatedDate',
    'IsClosed',
    'Nope',
    'Type',
  ],
  ...[
    'Description',
    'BillingAddress',
    'Account.Owner.Alias',
    'Who.Name',
    'What.Type',
    'StageName',
    'a.b.c.d.e.f.g',
    'AccountId',
  ],
)
const object = fc.constantFrom(
  'Account',
  'Contact',
  'Opportunity',
  'Case',
  'Task',
  'Lead',
  'User',
  'Nope',
  'EntityDefinition',
)
const literal = fc.constantFrom(
  ...["'x'", "'O\\'B%'", '5', '-1.5', 'null', 'TRUE', 'TODAY', 'LAST_N_DAYS:3', '2026-02-30', '2026-03-01'],
  ...['2026-03-01T00:00:00Z', "'001000000000001'", 'NEXT_N_YEARS:99999', 'USD5', ':bind', '1e3', "''"],
)
const operator = fc.constantFrom('=', '!=', '<', '>', '<=', '>=', 'LIKE', '<>', '==')
const call = fc
  .tuple(
    fc.constantFrom(
      'COUNT',
      'SUM',
      'MAX',
      'CALENDAR_YEAR',
      'toLabel',
      'FORMAT',
      'GROUPING',
      'NOPE',
      'DAY_ONLY',
    ),
    word,
  )
  .map(([name, field]) => `${name}(${field})`)
const left = fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: call })
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(left, operator, literal).map((parts) => parts.join(' ')),
    fc
      .tuple(
        left,
        fc.constantFrom('IN', 'NOT IN', 'INCLUDES'),
        fc.array(literal, { minLength: 1, maxLength: 3 }),
      )
      .map(([field, set, values]) => `${field} ${set} (${values.join(', ')})`),
    fc.tuple(word, object, word).map(([field, from, inner]) => `${field} IN (SELECT ${inner} FROM ${from})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition'))
      .map(([a, join, b]) => `(${a} ${join} ${b})`),
    tie('condition').map((inner) => `NOT ${inner}`),
  ),
}))
const item = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 2, arbitrary: call },
  {
    weight: 1,
    arbitrary: fc
      .tuple(word, fc.constantFrom('Contacts', 'Cases', 'Nope', 'Tasks'))
      .map(([f, c]) => `(SELECT ${f} FROM ${c})`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'COUNT()',
      'FIELDS(ALL)',
      'FIELDS(STANDARD)',
      'Name alias',
      'TYPEOF What WHEN Account THEN Name END',
    ),
  },
)
const clause = (keyword: string, body: fc.Arbitrary<string>) =>
  fc.option(
    body.map((text) => ` ${keyword} ${text}`),
    { nil: '' },
  )
/** Whatever the grammar can say, sensible or not. */
export const anyQuery = fc
  .tuple(
    fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => items.join(', ')),
    object,
    clause('WHERE', condition),
    clause(
      'GROUP BY',
      fc.oneof(
        word,
        call,
        word.map((field) => `ROLLUP(${field})`),
      ),
    ),
    clause('HAVING', condition),
    clause(
      'ORDER BY',
      fc.tuple(left, fc.constantFrom('', ' DESC', ' NULLS LAST')).map((parts) => parts.join('')),
    ),
    clause('LIMIT', fc.constantFrom('1', '200', 'x', '0')),
    clause('OFFSET', fc.constantFrom('0', '3', '9999')),
  )
  .map(([select, from, ...clauses]) => `SELECT ${select} FROM ${from}${clauses.join('')}`)

/** A query that was cut, doubled or garbled. */
export const damagedQuery = fc
  .tuple(
    anyQuery,
    fc.nat(80),
    fc.constantFrom('', "'", '(', ')', ',', '\n', '\\', '  ', '\u0000', 'é', '%', '--'),
  )
  .map(([text, at, noise]) => `${text.slice(0, at)}${noise}${text.slice(at + 1)}`)
