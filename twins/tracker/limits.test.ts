import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getIntrospectionQuery } from 'graphql'
import { idOf, post, startTracker } from './testing/world.ts'

const refusesAsTooComplex = ({ status, body }: { status: number; body: Answer }): string => {
  assert.equal(status, 400)
  assert.equal(body.data, undefined)
  assert.equal(body.errors?.[0]?.message, 'Query too complex')
  const { userPresentableMessage, ...extensions } = body.errors[0].extensions
  assert.deepEqual(extensions, {
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    userError: true,
    http: { status: 400 },
  })
  assert.match(userPresentableMessage, /^The query is too complex\. /)
  return userPresentableMessage
}
interface Answer {
  readonly data?: unknown
  readonly errors?: { message: string; extensions: { userPresentableMessage: string } }[]
}

const range = (length: number) => Array.from({ length }, (_, n) => n)
const introspection = getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true })

describe('documents made to be expensive', () => {
  it('are counted in time linear in their size when fragments spread each other twice', () => {
    const { ask, data } = startTracker()
    const bomb = (depth: number) =>
      `{ viewer { ...F0 } } fragment F${depth} on User { email } ${range(depth)
        .map((n) => `fragment F${n} on User { name ...F${n + 1} ...F${n + 1} }`)
        .join(' ')}`
    assert.deepEqual(data(bomb(8)).viewer, { name: 'Mira Okafor', email: 'mira@northwind.example' })
    assert.match(refusesAsTooComplex(ask(bomb(30))), /Complexity: 214748366\. Maximum/)
    refusesAsTooComplex(ask(bomb(99)))
  })

  it('are refused by what they would answer when fragments nest each other twice', () => {
    const { ask } = startTracker()
    const fragments = range(60).map(
      (n) => `fragment F${n} on User { a: organization { ...G${n} } b: organization { ...G${n} } }
        fragment G${n} on Organization { users { nodes { ...F${n + 1} } } }`,
    )
    const document = (count: number) =>
      `{ viewer { ...F0 } } ${fragments.slice(0, count).join(' ')} fragment F${count} on User { id }`
    assert.match(
      refusesAsTooComplex(ask(document(20))),
      /Complexity: \d+\. Maximum allowed complexity: 10000\./,
    )
    assert.match(refusesAsTooComplex(ask(document(45))), /nested more than 100 deep/)
    assert.match(refusesAsTooComplex(ask(document(60))), /more than 100 fragments/)
  })

  it('are invalid when fragments are cyclic, alone or through a field', () => {
    const { ask } = startTracker()
    for (const document of [
      '{ viewer { ...A } } fragment A on User { id ...B } fragment B on User { ...A }',
      '{ viewer { ...A } } fragment A on User { organization { users { nodes { ...A } } } }',
    ]) {
      const { status, body } = ask(document)
      assert.equal(status, 400)
      assert.match(body.errors[0].message, /^Cannot spread fragment "A" within itself/)
    }
  })

  it('are refused when they repeat one field, hold too many tokens, operations or levels', () => {
    const { ask } = startTracker()
    const message = (document: string) => refusesAsTooComplex(ask(document))
    assert.match(message(`{ viewer { ${'id '.repeat(3_000)} } }`), /"id" is selected more than 20 times/)
    assert.match(message(`{ viewer { ${'id '.repeat(11_000)} } }`), /more than 10000 tokens/)
    const operations = range(21).map((n) => `query Q${n} { viewer { id } }`)
    assert.match(message(operations.join(' ')), /more than 20 operations/)
    const list = `${'['.repeat(2_000)}${']'.repeat(2_000)}`
    assert.match(
      message(`{ issues(filter: { and: ${list} }) { nodes { id } } }`),
      /nested more than 100 deep/,
    )
    assert.match(message(`{ viewer { a${'b'.repeat(1_000_000)} } }`), /more than 1000000 characters/)
  })

  it('pay for aliases of properties, type names included', () => {
    const { ask } = startTracker()
    const aliases = range(1_500).map((n) => `a${n}: __typename`)
    const document = `{ issues(first: 250) { nodes { ${aliases.join(' ')} } } }`
    assert.match(refusesAsTooComplex(ask(document)), /Complexity: 37\d\d\d/)
  })

  it('take the default of a variable as the size of a page', () => {
    const { ask } = startTracker()
    const nested = 'issues(first: $n) { nodes { children(first: $n) { nodes { id } } } }'
    assert.equal(ask(`query($n: Int = 5) { ${nested} }`).status, 200)
    refusesAsTooComplex(ask(`query($n: Int = 250) { ${nested} }`))
  })
})

describe('questions about the schema', () => {
  it('are answered in full once, and refused when one request asks for many copies', () => {
    const { ask } = startTracker()
    const full = ask(introspection)
    assert.equal(full.status, 200)
    assert.ok(full.body.data.__schema.types.length > 1_300)
    const body = introspection.slice(introspection.indexOf('{') + 1)
    const rest = body.slice(body.indexOf('fragment FullType'))
    const schema = body.slice(
      body.indexOf('__schema'),
      body.lastIndexOf('}', body.indexOf('fragment FullType')),
    )
    const flood = `query { ${range(40)
      .map((n) => `s${n}: ${schema}`)
      .join(' ')} } ${rest}`
    assert.match(refusesAsTooComplex(ask(flood)), /more of the schema/)
  })

  it('are refused when they follow types in circles, though the document is short', () => {
    const { ask } = startTracker()
    const circle = range(20).reduce((inner) => `fields { type { ${inner} } }`, 'name')
    const { status, body } = ask(`{ __type(name: "Issue") { ${circle} } }`)
    assert.equal(status, 400)
    assert.equal(body.errors[0].message, 'Maximum introspection depth exceeded')
  })

  it('can be asked beside data, with variables, directives, aliases and fragments', () => {
    const { data, ask } = startTracker()
    const document = `query($name: String!, $no: Boolean!) {
      before: __typename
      kind: __type(name: $name) { ...T kind fields @include(if: $no) { name } }
      viewer { email }
      none: __type(name: "Nothing") { name }
      states: __type(name: "SLADayCountType") { enumValues(includeDeprecated: true) { name __typename } }
    } fragment T on __Type { name again: name }`
    const answer = data(document, { name: 'TimelessDate', no: false })
    assert.deepEqual(Object.keys(answer), ['before', 'kind', 'viewer', 'none', 'states'])
    assert.deepEqual(answer, {
      before: 'Query',
      kind: { name: 'TimelessDate', again: 'TimelessDate', kind: 'SCALAR' },
      viewer: { email: 'mira@northwind.example' },
      none: null,
      states: {
        enumValues: [
          { name: 'all', __typename: '__EnumValue' },
          { name: 'onlyBusinessDays', __typename: '__EnumValue' },
        ],
      },
    })
    assert.equal(ask(document, { no: true }).status, 400)
  })
})

describe('requests made to be expensive', () => {
  it('are refused when their variables are huge or nested without end', () => {
    const { ask } = startTracker()
    const document = 'query($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }'
    const nested = range(500).reduce<object>((inner) => ({ and: [inner] }), {})
    assert.match(refusesAsTooComplex(ask(document, { filter: nested })), /nested more than 100 deep/)
    const many = { id: { in: range(20_000).map(() => idOf('leak')) } }
    assert.match(refusesAsTooComplex(ask(document, { filter: many })), /more than 10000 values/)
    const long = { title: { eq: 'x'.repeat(3_000_000) } }
    assert.match(refusesAsTooComplex(ask(document, { filter: long })), /more than 2097152 bytes/)
    assert.equal(ask(document, { filter: { id: { in: range(9_000).map(() => idOf('leak')) } } }).status, 200)
  })

  it('are refused, with what they changed taken back, when a filter follows relations in circles', () => {
    const { ask, data } = startTracker()
    const circle = range(12).reduce<object>(
      (inner) => ({ team: { issues: { every: { team: { issues: { some: inner } } } } } }),
      { title: { neq: 'x' } },
    )
    const query = 'query($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }'
    assert.match(refusesAsTooComplex(ask(query, { filter: circle })), /more records/)
    const mutation = `mutation($filter: IssueFilter) {
      issueUpdate(id: "ENG-1", input: { title: "Changed" }) { issue { team { issues(filter: $filter) { nodes { id } } } } } }`
    const { step, ...answer } = ask(mutation, { filter: circle })
    refusesAsTooComplex(answer)
    assert.deepEqual(step.changes, [])
    assert.equal(data('{ issue(id: "ENG-1") { title } }').issue.title, 'Pump leaks at 3 bar')
  })

  it('are refused when their answer would be many megabytes of text', () => {
    const { ask, data } = startTracker()
    const description = 'x'.repeat(900_000)
    data('mutation($d: String!) { issueUpdate(id: "ENG-1", input: { description: $d }) { success } }', {
      d: description,
    })
    assert.equal(data('{ issue(id: "ENG-1") { description } }').issue.description.length, 900_000)
    const aliases = range(20).map((n) => `a${n}: issue(id: "ENG-1") { description }`)
    assert.match(refusesAsTooComplex(ask(`{ ${aliases.join(' ')} }`)), /more text/)
  })

  it('are refused without a key before anything is said about their cost', () => {
    const { send } = startTracker()
    assert.equal(send(post(`{ viewer { ${'id '.repeat(11_000)} } }`, undefined)).status, 401)
  })
})
