import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isInputObjectType } from 'graphql'
import { loadSchema, rootFields } from './graphql/engine.ts'
import { tracker } from './twin.ts'

describe('the schema', () => {
  it('is whole: every type, query and mutation of the installed client', () => {
    const { schema } = loadSchema()
    const named = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'))
    assert.equal(named.length, 1314)
    assert.equal(Object.keys(schema.getQueryType()?.getFields() ?? {}).length, 178)
    assert.equal(Object.keys(schema.getMutationType()?.getFields() ?? {}).length, 386)
    assert.equal(Object.keys(schema.getSubscriptionType()?.getFields() ?? {}).length, 85)
  })

  it('keeps descriptions, deprecations, arguments and default values', () => {
    const { schema } = loadSchema()
    const issues = schema.getQueryType()?.getFields().issues
    assert.deepEqual(
      issues?.args.map(({ name, type }) => `${name}: ${type}`),
      [
        'after: String',
        'before: String',
        'filter: IssueFilter',
        'first: Int',
        'includeArchived: Boolean',
        'last: Int',
        'orderBy: PaginationOrderBy',
        'sort: [IssueSortInput!]',
      ],
    )
    assert.ok(issues?.description)
    const comparator = schema.getType('IssueFilter')
    assert.ok(isInputObjectType(comparator))
    assert.equal(String(comparator.getFields().id?.type), 'IssueIDComparator')
  })

  it('is kept in a folder and read from there the next time; a broken file is made again', () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'tracker-schema-'))
    try {
      const first = loadSchema({ cacheDir })
      const [file] = readdirSync(cacheDir)
      assert.match(file ?? '', /^tracker-schema-98\.0\.0-\d+\.json$/)
      assert.deepEqual([...loadSchema({ cacheDir }).types.keys()], [...first.types.keys()])
      writeFileSync(join(cacheDir, file ?? ''), '{')
      assert.deepEqual([...loadSchema({ cacheDir }).types.keys()], [...first.types.keys()])
    } finally {
      rmSync(cacheDir, { recursive: true })
    }
  })
})

describe('coverage', () => {
  it('says of every query, mutation, subscription and rule what it is', () => {
    const subscriptions = tracker.coverage.filter(({ operation }) => operation.startsWith('subscription '))
    assert.equal(subscriptions.length, rootFields('Subscription').length)
    const operations = tracker.coverage.filter(({ operation }) => /^(query|mutation) /.test(operation))
    const names = new Set(operations.map(({ operation }) => operation))
    assert.equal(rootFields('Query').length + rootFields('Mutation').length, names.size)
    const count = (status: string) => operations.filter((one) => one.status === status).length
    assert.ok(count('done') >= 240, String(count('done')))
    for (const { operation, status, missing } of tracker.coverage)
      assert.equal(missing !== undefined, status === 'partial', operation)
  })
})
