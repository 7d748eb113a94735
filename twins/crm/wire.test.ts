import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import fc from 'fast-check'
import { busyOrganization, requestOf } from './testing/setup.ts'

const organization = busyOrganization()
const { instance, token, key } = organization
const ids = ['acme', 'jane', 'leak', 'priya', 'acme-renewal'].map(key)

const object = fc.constantFrom(
  'Account',
  'Contact',
  'Case',
  'Lead',
  'Opportunity',
  'Task',
  'Event',
  'Visit__c',
  'Nope',
  'EntityDefinition',
)
const id = fc.constantFrom(...ids, '001000000000000AAA', 'abc', '', '%E0%A4%A', '../..', 'null')
const field = fc.constantFrom(
  'Name',
  'Email',
  'Status',
  'StageName',
  'Amount',
  'CloseDate',
  'AccountId',
  'OwnerId',
  'Id',
  'Nope',
  'IsClosed',
  'StartDateTime',
  'DurationInMinutes',
  'Account',
  'attributes',
  'BillingAddress',
  'LastName',
  'Company',
)
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'Closed',
    'x'.repeat(300),
    -1,
    1e30,
    1.5,
    true,
    [],
    {},
    { Name: 'x' },
    '2026-03-01',
    '2026-03-01T00:00:00Z',
    'not a date',
  ),
  id,
  fc.jsonValue({ maxDepth: 2 }),
)
const body = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(field, value, { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const records = fc.array(
  fc
    .tuple(object, fc.dictionary(field, value, { maxKeys: 3 }))
    .map(([type, fields]) => ({ attributes: { type, referenceId: 'r' }, ...fields })),
  { maxLength: 3 },
)
const list = fc.tuple(records, fc.boolean()).map(([rows, allOrNone]) => ({ records: rows, allOrNone }))
const parts = fc
  .array(fc.tuple(fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'), object, id, fc.option(body)), {
    maxLength: 4,
  })
  .map((several) =>
    several.map(([method, type, record, sent], n) => ({
      method,
      url: `/services/data/v62.0/sobjects/${type}/${method === 'POST' ? '' : record}${n === 2 ? '@{r0.id}' : ''}`,
      referenceId: `r${n}`,
      body: sent,
    })),
  )
const request = fc.oneof(
  fc
    .tuple(fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD'), object, id, fc.option(body))
    .map(([m, o, i, b]) => [m, `/sobjects/${o}/${i}`, b] as const),
  fc.tuple(object, field, id, body).map(([o, f, i, b]) => ['PATCH', `/sobjects/${o}/${f}/${i}`, b] as const),
  fc.tuple(fc.constantFrom('POST', 'PATCH'), list).map(([m, b]) => [m, '/composite/sobjects', b] as const),
  fc.tuple(object, field, list).map(([o, f, b]) => ['PATCH', `/composite/sobjects/${o}/${f}`, b] as const),
  fc.tuple(object, list).map(([o, b]) => ['POST', `/composite/tree/${o}`, b] as const),
  fc
    .tuple(parts, fc.boolean())
    .map(([compositeRequest, allOrNone]) => ['POST', '/composite', { compositeRequest, allOrNone }] as const),
  fc
    .tuple(
      fc.constantFrom(
        '/composite/batch',
        '/composite/graph',
        '/jobs/ingest',
        '/jobs/query',
        '/parameterizedSearch',
      ),
      body,
    )
    .map(([p, b]) => ['POST', p, b] as const),
  fc
    .tuple(
      fc.constantFrom('search', 'parameterizedSearch', 'query', 'queryAll', 'tooling/query'),
      fc.string({ maxLength: 60 }),
    )
    .map(([p, q]) => ['GET', `/${p}?q=${encodeURIComponent(q)}`, null] as const),
  fc.webPath().map((path) => ['GET', path, null] as const),
)

describe('the wire', () => {
  it('answers whatever it is sent in the words of the service', () => {
    fc.assert(
      fc.property(request, ([method, path, sent]) => {
        const { step, failure } = instance.handle(
          requestOf(method, path, token, sent ?? undefined),
          testCompany.clock,
        )
        assert.equal(failure, undefined, `${method} ${path}\n${String((failure as Error)?.stack)}`)
        const { status, body: text } = step.reply
        assert.ok(status < 500, `${method} ${path}: ${status}`)
        if (status >= 400 && text !== '') assert.match(String(text), /^[[{]/)
        if (status >= 400)
          assert.deepEqual(
            step.changes.filter(({ collection }) => !collection.startsWith('$')),
            [],
          )
      }),
      { numRuns: 1_500, seed: 42 },
    )
  })

  it('answers broken SOAP and broken bulk data with a fault', () => {
    const damaged = fc.tuple(
      fc.constantFrom('/services/Soap/u/62.0', '/services/async/62.0/job', '/services/oauth2/token'),
      fc.oneof(
        fc.string({ maxLength: 80 }),
        fc.constantFrom(
          '<a>',
          '<a><b></a>',
          '<!DOCTYPE x>',
          '<Envelope><Body/></Envelope>',
          '<Envelope><Body><login/></Body></Envelope>',
          `${'<a>'.repeat(500)}`,
        ),
      ),
    )
    fc.assert(
      fc.property(damaged, ([path, text]) => {
        const sent = { ...requestOf('POST', path, token), body: Buffer.from(text) }
        const { step, failure } = instance.handle(sent, testCompany.clock)
        assert.equal(failure, undefined, `${path}\n${String((failure as Error)?.stack)}`)
        assert.ok(step.reply.status >= 400, path)
      }),
      { numRuns: 300, seed: 42 },
    )
  })
})
