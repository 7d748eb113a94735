import fc from 'fast-check'
import { catalogue } from '../methods/catalogue.ts'
import { operations } from '../operations/index.ts'
import { good } from './blocks.ts'

const methods = Object.keys(operations).filter((name) => name in catalogue)

const oddText = fc.constantFrom(
  ...['', 'true', '0', '-1', '1e99', 'NaN', '[]', '{}', '[{}]', '{"a":', 'null', '*', '@dev', '#pumps'],
)
const nearlyRight = fc.constantFrom(
  '[{"type":"section"}]',
  '[{"type":"constructor"}]',
  '{"constructor":"x"}',
  'a.constructor',
  'has:constructor',
  '[{"id":"F1"}]',
  '{"type":"home","blocks":[]}',
  'in 5 minutes',
  'tada',
)
/** Layouts whose parts were nested, repeated or replaced. */
const layout = fc
  .array(
    fc.oneof(
      fc.constantFrom(...good.map(([block]): unknown => block)),
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(
        ...good.map(([block]): unknown => ({ type: 'section', text: block, accessory: block })),
      ),
    ),
    { maxLength: 60 },
  )
  .map((blocks) => JSON.stringify(blocks))

const argumentsOf = (method: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.keys(catalogue[method]?.args ?? {}).map((name) => [name, values])), {
    requiredKeys: [],
  })

export interface OddCall {
  readonly method: string
  readonly json: boolean
  readonly args: Record<string, unknown>
}

/** Calls of a confused client: real ids in wrong places, wrong types, broken JSON, odd text. */
export const oddCalls = (ids: readonly string[]): fc.Arbitrary<OddCall> => {
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: oddText },
    { weight: 1, arbitrary: nearlyRight },
    { weight: 1, arbitrary: layout },
    { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: 'binary' }) },
  )
  const jsonValue = fc.oneof(
    value,
    fc.jsonValue({ maxDepth: 2 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  return fc
    .record({ method: fc.constantFrom(...methods), json: fc.boolean() })
    .chain(({ method, json }) =>
      argumentsOf(method, json ? jsonValue : value).map((args) => ({ method, json, args })),
    )
}

/** As the client sends it: JSON or a form. */
export const bodyOf = ({ json, args }: OddCall): string =>
  json
    ? JSON.stringify(args)
    : new URLSearchParams(
        Object.entries(args).map(([name, item]): [string, string] => [name, String(item)]),
      ).toString()
