import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { parseQuery as secondOpinion } from '@jetstreamapp/soql-parser-js'
import fc from 'fast-check'
import { parseQuery } from './soql/syntax/parse.ts'
import { brief } from './testing/brief.ts'
import { derived } from './testing/data/derived.ts'
import { refusals } from './testing/data/refusals.ts'
import { answers } from './testing/known/answers.ts'
import { filters } from './testing/known/filters.ts'
import { groups } from './testing/known/groups.ts'
import type { Known } from './testing/known/known.ts'
import { moments } from './testing/known/moments.ts'
import { relations } from './testing/known/relations.ts'
import { bare, isOrdered, knownOrganization } from './testing/known/setup.ts'
import { anyQuery, damagedQuery } from './testing/odd-queries.ts'
import { busyOrganization, requestOf } from './testing/setup.ts'

const ask = (organization: ReturnType<typeof busyOrganization>, query: string) =>
  organization.call('GET', `/query?q=${encodeURIComponent(query)}`)

const knownAnswers: readonly Known[] = [...filters, ...relations, ...groups, ...moments, ...answers]

/** Records one by one, in no order where the query asks for none. */
const listed = (records: unknown, soql: string): string[] => {
  const all = Array.isArray(records) ? records.map((one) => JSON.stringify(one)) : []
  return isOrdered(soql) ? all : all.sort()
}

describe('a query', () => {
  it(`gets the answer that plain JavaScript gives over the same records, ${knownAnswers.length} times over`, () => {
    const { organization, ask: askKnown } = knownOrganization()
    for (const known of knownAnswers) {
      const { soql, is, as, at, all } = known
      const expected = is(organization)
      const { status, body } = askKnown(known)
      const context = JSON.stringify({ soql, as, at, all, status })
      assert.equal(status, 200, `${context} ${JSON.stringify(body)}`)
      const { totalSize, records } = body as { totalSize: number; records: unknown[] }
      if (typeof expected === 'number') assert.deepEqual([totalSize, records], [expected, []], context)
      else {
        assert.deepEqual(listed(bare(records), soql), listed(expected, soql), context)
        assert.equal(totalSize, expected.length, context)
      }
    }
  })

  it('is judged by code that knows nothing of the twin', async () => {
    const folder = new URL('./testing/known/', import.meta.url)
    for (const name of await readdir(folder)) {
      if (name === 'setup.ts') continue
      const text = await readFile(new URL(name, folder), 'utf8')
      const imports = [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, source = '']) => source)
      assert.deepEqual(
        imports.filter((source) => !/^\.\/[a-z]+\.ts$/.test(source) || source === './setup.ts'),
        [],
        name,
      )
    }
  })

  it('is refused with the code, the place and the words of the service', () => {
    const organization = busyOrganization()
    for (const [query, refusal] of refusals)
      assert.equal(brief(ask(organization, query)), `! ${refusal}`, query)
  })

  it('finds what the service works out on its own', () => {
    const organization = busyOrganization()
    for (const [query, answer] of derived) assert.equal(brief(ask(organization, query)), answer, query)
  })

  it('gives by FIELDS(ALL), FIELDS(STANDARD) and FIELDS(CUSTOM) the fields that describe lists', () => {
    const organization = busyOrganization()
    const described: { name: string; custom: boolean }[] = organization.call(
      'GET',
      '/sobjects/Account/describe',
    ).body.fields
    const names = (which: string): string[] =>
      Object.keys(ask(organization, `SELECT FIELDS(${which}) FROM Account LIMIT 1`).body.records[0])
        .filter((name) => name !== 'attributes')
        .sort()
    const listedNames = (keep: (custom: boolean) => boolean): string[] =>
      described
        .filter(({ custom }) => keep(custom))
        .map(({ name }) => name)
        .sort()
    assert.deepEqual(
      names('ALL'),
      listedNames(() => true),
    )
    assert.deepEqual(
      names('STANDARD'),
      listedNames((custom) => !custom),
    )
    assert.deepEqual(names('CUSTOM'), ['Region__c', 'Score__c'])
  })

  it('finds a record by either form of its id', () => {
    const organization = busyOrganization()
    const id = organization.key('acme')
    for (const form of [id, id.slice(0, 15)])
      assert.equal(brief(ask(organization, `SELECT Name FROM Account WHERE Id = '${form}'`)), 'Acme Foods')
  })

  it('sees deleted records only through queryAll', () => {
    const organization = busyOrganization()
    organization.call('DELETE', `/sobjects/Opportunity/${organization.key('delta-lost')}`)
    const query = encodeURIComponent("SELECT Name, IsDeleted FROM Opportunity WHERE Name = 'Delta Trial'")
    assert.equal(brief(organization.call('GET', `/query?q=${query}`)), '#0')
    assert.equal(brief(organization.call('GET', `/queryAll?q=${query}`)), 'Delta Trial|true')
  })

  it('means the caller’s own day by TODAY', () => {
    const { instance, tokens } = busyOrganization()
    // 20:00 in UTC is the third of March already in Kolkata, and still the second in Berlin and New York.
    const clock = Date.parse('2026-03-02T20:00:00.000Z')
    const create = requestOf('POST', '/sobjects/Task', tokens.mira ?? '', {
      Subject: 'Due',
      ActivityDate: '2026-03-03',
    })
    instance.handle(create, clock)
    const query = '/query?q=SELECT+Subject+FROM+Task+WHERE+ActivityDate+=+TODAY'
    const asked = (who: string) => {
      const { step } = instance.handle(requestOf('GET', query, tokens[who] ?? ''), clock)
      return brief({ status: step.reply.status, body: JSON.parse(String(step.reply.body)) })
    }
    assert.deepEqual([asked('dev'), asked('mira'), asked('lucia')], ['Due', '#0', '#0'])
  })

  it('is read the same way by a second parser', () => {
    const queries = [...knownAnswers.map(({ soql }) => soql), ...derived.map(([query]) => query)]
    for (const query of queries)
      assert.equal(
        secondOpinion(query).sObject?.toLowerCase(),
        parseQuery(query).from.name.toLowerCase(),
        query,
      )
  })
})

describe('the reader of queries', () => {
  const { instance, token } = busyOrganization()
  const neverFails = (text: string): void => {
    const request = requestOf('GET', `/query?q=${encodeURIComponent(text)}`, token)
    const { step, failure } = instance.handle(request, testCompany.clock)
    assert.equal(failure, undefined, `${text}\n${String((failure as Error)?.stack)}`)
    assert.ok(step.reply.status === 200 || step.reply.status === 400, text)
  }

  it('answers or refuses whatever the grammar can say', () => {
    fc.assert(fc.property(anyQuery, neverFails), { numRuns: 1_200, seed: 20_260_302 })
  })

  it('refuses a query that was cut, doubled or garbled', () => {
    fc.assert(fc.property(damagedQuery, neverFails), { numRuns: 800, seed: 7 })
  })

  it('refuses nesting beyond reason without running out of stack', () => {
    neverFails(`SELECT Id FROM Account WHERE ${'('.repeat(20_000)}Id = null${')'.repeat(20_000)}`)
    neverFails(`SELECT Id FROM Account WHERE ${'NOT '.repeat(20_000)}Id = null`)
    neverFails(`SELECT ${'(SELECT '.repeat(9_000)}Id`)
    neverFails(
      `SELECT Id FROM Account WHERE ${Array.from({ length: 4_000 }, () => "Name LIKE '%a%b%c%'").join(' OR ')}`,
    )
  })
})
