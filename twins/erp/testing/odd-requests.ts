import fc from 'fast-check'

const atom = fc.oneof(
  fc.constantFrom(
    'SalesOrder',
    'TotalNetAmount',
    'CreationDate',
    'LastChangeDateTime',
    'CompleteDeliveryIsDefined',
    'to_Item',
    'to_Item/Material',
    'Nope',
    "'7001'",
    "''",
    "'it''s'",
    '1',
    '-1',
    '1.5M',
    '1.5',
    '1e9d',
    '9999999999999999999999M',
    'true',
    'null',
    "datetime'2026-01-01T00:00:00'",
    "datetime'x'",
    "datetimeoffset'2026-01-01T00:00:00Z'",
    "guid'1'",
    "time'PT1H'",
    'binary',
  ),
  fc.string({ maxLength: 6 }),
)
/** Expressions that are a filter, or nearly. */
export const anyFilter: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    atom,
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('eq', 'ne', 'gt', 'le', 'and', 'or', 'add', 'div', 'mod', '=', ''),
        tie('expression'),
      )
      .map((parts) => parts.join(' ')),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `not ${inner}`),
    fc
      .tuple(
        fc.constantFrom(
          'substringof',
          'startswith',
          'length',
          'year',
          'hour',
          'round',
          'substring',
          'replace',
          'nope',
        ),
        fc.array(tie('expression'), { maxLength: 4 }),
      )
      .map(([name, args]) => `${name}(${args.join(',')})`),
  ),
})).expression

const inner = (url: string, text: string) =>
  `--cs\r\nContent-Type: application/http\r\n\r\nPATCH ${url} HTTP/1.1\r\nContent-Type: application/json\r\nIf-Match: *\r\n\r\n{"PurchaseOrderByCustomer":"${text}"}\r\n`
const soundBatch = `--b\r\nContent-Type: multipart/mixed; boundary=cs\r\n\r\n${inner("A_SalesOrder('7001')", 'ONE')}${inner("A_SalesOrder('7002')", 'TWO')}--cs--\r\n--b--\r\n`
const edit = fc.record({
  at: fc.nat({ max: soundBatch.length - 1 }),
  length: fc.nat({ max: 12 }),
  text: fc.oneof(
    fc.constantFrom('', '\r\n', '--b', '--cs', '--cs--\r\n', '999', 'GET', "'", '"'),
    fc.string({ maxLength: 4 }),
  ),
})

/** Two changes in one changeset, with some of its bytes replaced. */
export const damagedBatch = fc
  .array(edit, { maxLength: 3 })
  .map((edits) =>
    edits.reduce(
      (text, { at, length, text: put }) => text.slice(0, at) + put + text.slice(at + length),
      soundBatch,
    ),
  )
