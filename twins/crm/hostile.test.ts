import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { busyOrganization, requestOf } from './testing/setup.ts'

const organization = busyOrganization()
/** Enough records that work for each of them adds up. */
for (let batch = 0; batch < 5; batch++)
  organization.call('POST', '/composite/sobjects', {
    allOrNone: false,
    records: Array.from({ length: 200 }, (_, n) => ({
      attributes: { type: 'Account' },
      Name: `${'a'.repeat(200)}${batch}-${n}`,
    })),
  })

const outcome = (path: string, text: string): string => {
  const { status, body } = organization.call('GET', `/${path}?q=${encodeURIComponent(text)}`)
  return status === 200 ? 'answered' : body[0].errorCode
}
const query = (text: string): string => outcome('query', text)
const search = (text: string): string => outcome('search', text)
const where = (condition: string): string => query(`SELECT Id FROM Account WHERE ${condition}`)
const many = (count: number, write: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => write(n))

describe('a request that means harm', () => {
  it('ends with a refusal when it nests without end', () => {
    assert.equal(where(`${'('.repeat(20_000)}Name = 'a'${')'.repeat(20_000)}`), 'MALFORMED_QUERY')
    assert.equal(where(`${'NOT '.repeat(20_000)}Name = 'a'`), 'MALFORMED_QUERY')
    assert.equal(search(`FIND {${'('.repeat(400)}a} RETURNING Account`), 'MALFORMED_SEARCH')
  })

  it('is read in one pass: long runs of digits, blanks, quotes and clauses', () => {
    assert.equal(where(`AnnualRevenue = ${'1'.repeat(90_000)}x`), 'MALFORMED_QUERY')
    assert.equal(query(`SELECT Id${' '.repeat(90_000)}FROM Account LIMIT 1`), 'answered')
    assert.equal(where(`Name = '${'\\\\'.repeat(40_000)}`), 'MALFORMED_QUERY')
    assert.equal(search(`FIND {acme} RETURNING Account(Id) ${'WITH a '.repeat(5_000)}`), 'answered')
    assert.equal(query(`SELECT Id FROM Account ${' '.repeat(100_000)}`), 'MALFORMED_QUERY')
    assert.equal(search(`FIND {acme}${' '.repeat(100_000)}`), 'MALFORMED_SEARCH')
  })

  it('is stopped when its comparisons would take too long', () => {
    const patterns = many(3_000, (n) => `Name LIKE '%a%b${n}%'`)
    assert.equal(where(patterns.join(' OR ')), 'QUERY_TIMEOUT')
    assert.equal(
      where(`CreatedDate IN (${many(3_000, (n) => `LAST_N_DAYS:${n + 1}`).join()})`),
      'QUERY_TIMEOUT',
    )
    assert.equal(where(`Name LIKE '%${'_a'.repeat(100)}b%'`), 'QUERY_TIMEOUT')
  })

  it('cannot buy more time by sending many queries in one request', () => {
    const slow = many(1_500, (n) => `Name LIKE '%a%b${n}%'`).join(' OR ')
    const url = `v62.0/query?q=${encodeURIComponent(`SELECT Id FROM Contact WHERE ${slow}`)}`
    const { body } = organization.call('POST', '/composite/batch', {
      batchRequests: many(25, () => '').map(() => ({ method: 'GET', url })),
    })
    const codes = body.results.map(({ statusCode }: { statusCode: number }) => statusCode)
    assert.deepEqual([codes[0], codes.at(-1)], [200, 400])
    const queries = many(6, (n) => String(n)).map((referenceId) => ({
      method: 'GET',
      url: '/services/data/v62.0/query?q=SELECT+Id+FROM+Account',
      referenceId,
    }))
    const refused = organization.call('POST', '/composite', { compositeRequest: queries })
    assert.deepEqual([refused.status, refused.body[0].errorCode], [400, 'LIMIT_EXCEEDED'])
  })

  it('is answered where it is only long: lists of thousands, patterns of thousands of characters', () => {
    assert.equal(where(`Name IN (${many(9_000, (n) => `'n${n}'`).join()})`), 'answered')
    assert.equal(where(`Name LIKE '${'%a'.repeat(1_900)}b'`), 'answered')
    assert.equal(where(`Name = '${'a'.repeat(4_001)}'`), 'MALFORMED_QUERY')
  })

  it('cannot make a search compare without end', () => {
    assert.equal(search(`FIND {"${'a '.repeat(20_000)}"} RETURNING Account`), 'MALFORMED_SEARCH')
    assert.equal(search(`FIND {${'*a'.repeat(4)}*} RETURNING Account`), 'MALFORMED_SEARCH')
    assert.equal(search(`FIND {acme} RETURNING ${many(500, () => 'Account').join()}`), 'MALFORMED_SEARCH')
  })

  it('is held to the number of relationships that the vendor allows', () => {
    const children = many(21, () => '(SELECT Id FROM Contacts)').join()
    assert.equal(query(`SELECT Id, ${children} FROM Account`), 'MALFORMED_QUERY')
    const fields = ['Owner', 'Owner.Manager', 'Parent', 'Parent.Owner'].flatMap((path) =>
      many(20, (n) => `${path}.${'Manager.'.repeat(n % 3)}x${n}`),
    )
    assert.notEqual(query(`SELECT ${fields.join()} FROM Account`), 'answered')
  })

  it('is refused as an envelope that is not one, however it is broken', () => {
    for (const body of [
      `<a ${'x'.repeat(200_000)}>`,
      `<a>${'&a'.repeat(100_000)}</a>`,
      '<![CDATA['.repeat(20_000),
      '<a>'.repeat(50_000),
    ]) {
      const request = { ...requestOf('POST', '/services/Soap/u/62.0', ''), body: Buffer.from(body) }
      assert.equal(organization.instance.handle(request, testCompany.clock).step.reply.status, 500)
    }
  })
})
