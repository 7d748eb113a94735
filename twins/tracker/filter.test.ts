import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTracker } from './testing/world.ts'

const { data } = startTracker()
/** Identifiers of the issues that a filter lets through, sorted. */
const issues = (filter: string, more = ''): string[] =>
  data(`{ issues(filter: ${filter}${more}) { nodes { identifier } } }`)
    .issues.nodes.map((node: { identifier: string }) => node.identifier)
    .sort()

describe('a filter', () => {
  const cases: readonly [filter: string, expected: string[]][] = [
    ['{ title: { eq: "Motor is too noisy" } }', ['ENG-2']],
    ['{ title: { neq: "Motor is too noisy" } }', ['ENG-1', 'ENG-3', 'OPS-1', 'OPS-2']],
    ['{ title: { in: ["Motor is too noisy", "Review the CAD model"] } }', ['ENG-2', 'ENG-3']],
    ['{ title: { nin: ["Motor is too noisy"] } }', ['ENG-1', 'ENG-3', 'OPS-1', 'OPS-2']],
    ['{ title: { contains: "pump" } }', []],
    ['{ title: { containsIgnoreCase: "pump" } }', ['ENG-1']],
    ['{ title: { notContainsIgnoreCase: "e" } }', ['ENG-2']],
    ['{ title: { startsWith: "Re" } }', ['ENG-3']],
    ['{ title: { startsWithIgnoreCase: "re" } }', ['ENG-3']],
    ['{ title: { notStartsWith: "Re" } }', ['ENG-1', 'ENG-2', 'OPS-1', 'OPS-2']],
    ['{ title: { endsWith: "noisy" } }', ['ENG-2']],
    ['{ title: { eqIgnoreCase: "MOTOR IS TOO NOISY" } }', ['ENG-2']],
    ['{ title: { containsIgnoreCaseAndAccent: "CAD mödel" } }', ['ENG-3']],
    ['{ description: { null: true } }', ['ENG-2', 'ENG-3', 'OPS-2']],
    ['{ priority: { gte: 2 } }', ['ENG-2', 'ENG-3']],
    ['{ priority: { lt: 2, gt: 0 } }', ['ENG-1']],
    ['{ number: { lte: 1 } }', ['ENG-1', 'OPS-1']],
    ['{ createdAt: { gt: "2026-02-12" } }', ['ENG-3', 'OPS-1', 'OPS-2']],
    ['{ createdAt: { lt: "2026-02-11T10:00:00.000Z" } }', ['ENG-1']],
    ['{ completedAt: { null: false } }', ['OPS-1']],
    ['{ assignee: { null: true } }', ['ENG-2', 'OPS-2']],
    ['{ assignee: { email: { eq: "dev@northwind.example" } } }', ['ENG-1']],
    ['{ assignee: { isMe: { eq: true } } }', ['ENG-3']],
    ['{ assignee: { or: [{ isMe: { eq: true } }, { null: true }] } }', ['ENG-2', 'ENG-3', 'OPS-2']],
    ['{ team: { key: { eq: "OPS" } } }', ['OPS-1', 'OPS-2']],
    ['{ state: { type: { in: ["started"] } } }', ['ENG-1', 'ENG-3']],
    ['{ state: { name: { eq: "Done" } } }', ['OPS-1']],
    ['{ project: { name: { contains: "Quiet" } } }', ['ENG-1', 'ENG-2']],
    ['{ project: { null: true } }', ['ENG-3', 'OPS-1', 'OPS-2']],
    ['{ labels: { name: { eq: "Bug" } } }', ['ENG-1']],
    ['{ labels: { some: { name: { eq: "Bug" } } } }', ['ENG-1']],
    ['{ labels: { every: { name: { in: ["Bug", "Hardware"] } } } }', ['ENG-1', 'ENG-3', 'OPS-2']],
    ['{ labels: { length: { eq: 0 } } }', ['ENG-3', 'OPS-2']],
    ['{ labels: { length: { gte: 2 } } }', ['ENG-1']],
    ['{ comments: { body: { contains: "seal" } } }', ['ENG-1']],
    ['{ comments: { length: { gt: 1 } } }', ['ENG-1']],
    ['{ or: [{ priority: { eq: 1 } }, { state: { type: { eq: "completed" } } }] }', ['ENG-1', 'OPS-1']],
    ['{ and: [{ team: { key: { eq: "ENG" } } }, { priority: { neq: 1 } }] }', ['ENG-2', 'ENG-3']],
    [
      '{ team: { key: { eq: "ENG" } }, or: [{ priority: { eq: 1 } }, { priority: { eq: 3 } }] }',
      ['ENG-1', 'ENG-2'],
    ],
    ['{ searchableContent: { contains: "seal" } }', ['ENG-1', 'OPS-1']],
    ['{ subscribers: { some: { displayName: { eq: "dev" } } } }', ['ENG-1']],
    ['{ creator: { displayName: { eq: "mira" } } }', ['ENG-1', 'ENG-2', 'ENG-3', 'OPS-1', 'OPS-2']],
  ]
  for (const [filter, expected] of cases)
    it(`lets through what matches ${filter}`, () => assert.deepEqual(issues(filter), expected))

  it('works on lists inside records and on other kinds of records', () => {
    const found = data(`{ team(id: "ENG") { issues(filter: { priority: { eq: 1 } }) { nodes { identifier } } }
      users(filter: { assignedIssues: { some: { priority: { eq: 1 } } } }) { nodes { displayName } }
      projects(filter: { issues: { length: { gt: 0 } } }) { nodes { name } }
      issueLabels(filter: { name: { eqIgnoreCase: "bug" }, team: { key: { eq: "ENG" } } }) { nodes { name } } }`)
    assert.deepEqual(found, {
      team: { issues: { nodes: [{ identifier: 'ENG-1' }] } },
      users: { nodes: [{ displayName: 'dev' }] },
      projects: { nodes: [{ name: 'Quiet pump' }] },
      issueLabels: { nodes: [{ name: 'Bug' }] },
    })
  })
})

describe('a sort', () => {
  const sorted = (sort: string): string[] =>
    data(`{ issues(sort: ${sort}) { nodes { identifier } } }`).issues.nodes.map(
      (node: { identifier: string }) => node.identifier,
    )

  it('orders by priority with none last, by title, by assignee with unassigned last, and by several keys', () => {
    assert.deepEqual(sorted('[{ priority: { order: Ascending } }]'), [
      'ENG-1',
      'ENG-3',
      'ENG-2',
      'OPS-2',
      'OPS-1',
    ])
    assert.equal(sorted('[{ title: { order: Descending } }]')[0], 'ENG-3')
    assert.deepEqual(sorted('[{ assignee: { order: Ascending } }]').slice(0, 3), ['ENG-1', 'OPS-1', 'ENG-3'])
    assert.deepEqual(sorted('[{ team: { order: Ascending } }, { createdAt: { order: Ascending } }]'), [
      'ENG-1',
      'ENG-2',
      'ENG-3',
      'OPS-1',
      'OPS-2',
    ])
  })

  it('can be paged', () => {
    const page = (after: string) =>
      data(
        `{ issues(first: 2, sort: [{ title: { order: Ascending } }]${after}) { nodes { id title } pageInfo { endCursor hasNextPage } } }`,
      ).issues
    const first = page('')
    const second = page(`, after: "${first.pageInfo.endCursor}"`)
    assert.ok(second.nodes[0].title > first.nodes[1].title)
  })
})

describe('a search', () => {
  it('finds every word of the term in titles, descriptions and, when asked, comments', () => {
    const search = (args: string) =>
      data(`{ searchIssues(${args}) { totalCount nodes { identifier metadata } } }`).searchIssues
    assert.deepEqual(
      search('term: "noisy motor"').nodes.map((node: { identifier: string }) => node.identifier),
      ['ENG-2'],
    )
    assert.equal(search('term: "seal on its way"').totalCount, 0)
    assert.equal(search('term: "seal on its way", includeComments: true').totalCount, 1)
    assert.equal(search('term: "eng-3", snippetSize: 100').totalCount, 1)
    assert.equal(data('{ issueSearch(query: "CAD") { nodes { identifier } } }').issueSearch.nodes.length, 1)
    assert.equal(
      data('{ issueVcsBranchSearch(branchName: "dev/eng-1-pump") { identifier } }').issueVcsBranchSearch
        .identifier,
      'ENG-1',
    )
  })
})
