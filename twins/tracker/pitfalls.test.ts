import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { LinearDocument } from '@linear/sdk'
import { getIntrospectionQuery } from 'graphql'
import { idOf, post, startTracker } from './testing/world.ts'

/** Pitfalls of simple emulators; the numbers are those of the notes on the service. */
describe('a client that knows the real service', () => {
  it('21: lists with the fragments of its own documents', () => {
    const { data } = startTracker()
    assert.equal(data(String(LinearDocument.IssuesDocument)).issues.nodes.length, 5)
    assert.equal(data(String(LinearDocument.TeamsDocument)).teams.nodes.length, 2)
    assert.equal(data(String(LinearDocument.ProjectsDocument)).projects.nodes.length, 2)
  })

  it('22: finds lists where lists belong, never null', () => {
    const { data } = startTracker()
    const { issue } = data(`{ issue(id: "ENG-2") { reactions { id } previousIdentifiers labelIds reactionData
      sharedAccess { isShared sharedWithCount sharedWithUsers { id } disallowedIssueFields viewerHasOnlySharedAccess } } }`)
    assert.deepEqual(issue.reactions, [])
    assert.deepEqual(issue.previousIdentifiers, [])
    assert.equal(issue.labelIds.length, 1)
    assert.deepEqual(issue.reactionData, [])
    assert.deepEqual(issue.sharedAccess, {
      isShared: false,
      sharedWithCount: 0,
      sharedWithUsers: [],
      disallowedIssueFields: [],
      viewerHasOnlySharedAccess: false,
    })
  })

  it('23: gets an error for a record that does not exist, not null', () => {
    const { ask } = startTracker()
    const { status, body } = ask('query {\n  project(id: "nope") { id }\n}')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      errors: [
        {
          message: 'Entity not found: Project',
          path: ['project'],
          locations: [{ line: 2, column: 3 }],
          extensions: {
            type: 'invalid input',
            code: 'INPUT_ERROR',
            statusCode: 400,
            userError: true,
            userPresentableMessage: 'Could not find referenced Project.',
          },
        },
      ],
      data: null,
    })
  })

  it('24 and 29: gets an error that names the argument that must be an id, with a type that it knows', () => {
    const { ask } = startTracker()
    const input = { teamId: 'ENG', title: 'x' }
    const { status, body } = ask(
      'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }',
      { input },
    )
    assert.equal(status, 200)
    assert.equal(body.data, null)
    assert.equal(body.errors[0].message, 'Argument Validation Error')
    assert.deepEqual(body.errors[0].extensions, {
      validationErrors: [
        {
          target: input,
          value: 'ENG',
          property: 'teamId',
          children: [],
          constraints: { isUuid: 'teamId must be a UUID' },
        },
      ],
      type: 'invalid input',
      code: 'INVALID_INPUT',
      userError: true,
      userPresentableMessage: 'teamId must be a UUID.',
    })
    const { body: listed } = ask(
      'mutation { projectCreate(input: { name: "x", teamIds: ["ENG"] }) { success } }',
    )
    assert.equal(
      listed.errors[0].extensions.validationErrors[0].constraints.isUuid,
      'each value in teamIds must be a UUID',
    )
  })

  it('25: gets 401 without a key and with a wrong one, 400 for a bad document, and 200 for a refusal', () => {
    const { ask, send } = startTracker()
    const without = send(post('{ viewer { id } }', undefined))
    assert.equal(without.status, 401)
    assert.deepEqual(without.body, {
      errors: [
        {
          message: 'Authentication required, not authenticated',
          extensions: {
            type: 'authentication error',
            code: 'AUTHENTICATION_ERROR',
            statusCode: 401,
            userError: true,
            userPresentableMessage: 'You need to authenticate to access this operation.',
            meta: {},
            http: { status: 401 },
          },
        },
      ],
    })
    assert.deepEqual(ask('{ viewer { id } }', {}, 'lin_api_wrong').body, without.body)
    const invalid = ask('{ issues { nodes { nosuchfield } } }')
    assert.equal(invalid.status, 400)
    assert.deepEqual(invalid.body, {
      errors: [
        {
          message: 'Cannot query field "nosuchfield" on type "Issue".',
          locations: [{ line: 1, column: 20 }],
          extensions: {
            http: { status: 400, headers: {} },
            code: 'GRAPHQL_VALIDATION_FAILED',
            type: 'graphql error',
            userError: true,
          },
        },
      ],
    })
    assert.equal(ask('{ issues { ').status, 400)
    assert.match(ask('{ issues { ').body.errors[0].message, /^Syntax Error/)
    assert.equal(ask('query($n: Int!) { issues(first: $n) { nodes { id } } }').status, 400)
    assert.equal(ask('{ issues(first: 251) { nodes { id } } }').status, 200)
  })

  it('25: is refused a query that asks for too much, and gets the cost of each answer', () => {
    const { ask } = startTracker()
    const nested = '{ issues(first: 250) { nodes { children(first: 250) { nodes { id title } } } } }'
    const { status, body } = ask(nested)
    assert.equal(status, 400)
    assert.equal(body.errors[0].message, 'Query too complex')
    assert.match(
      body.errors[0].extensions.userPresentableMessage,
      /^The query is too complex\. Complexity: \d+\. Maximum allowed complexity: 10000\.$/,
    )
    const { headers } = ask('{ viewer { id name } }')
    assert.equal(headers['x-complexity'], '2')
    assert.equal(headers['x-ratelimit-requests-limit'], '2500')
    assert.equal(headers['x-ratelimit-complexity-remaining'], '2999998')
    assert.equal(headers['x-ratelimit-requests-reset'], String(testCompany.clock + 3_600_000))
    const own = ask(String(LinearDocument.IssuesDocument))
    assert.ok(Number(own.headers['x-complexity']) < 10_000)
  })

  it('26: can fetch every id that it is given', () => {
    const { data } = startTracker()
    const { issue } = data(`{ issue(id: "ENG-1") { state { id } team { id } assignee { id } project { id }
      labels { nodes { id } } comments { nodes { id } } } }`)
    const found = data(`{ workflowState(id: "${issue.state.id}") { name } team(id: "${issue.team.id}") { key }
      user(id: "${issue.assignee.id}") { name } project(id: "${issue.project.id}") { name }
      issueLabel(id: "${issue.labels.nodes[0].id}") { name } comment(id: "${issue.comments.nodes[0].id}") { body } }`)
    assert.deepEqual(Object.values(found).includes(null), false)
  })

  it('27: gets lastSyncId and the record from every mutation', () => {
    const { data } = startTracker()
    const { one, two } = data(`mutation {
      one: issueUpdate(id: "ENG-1", input: { title: "a" }) { lastSyncId success issue { title } }
      two: issueUpdate(id: "ENG-1", input: { title: "b" }) { lastSyncId success issue { title } } }`)
    assert.equal(typeof one.lastSyncId, 'number')
    assert.ok(two.lastSyncId > one.lastSyncId)
    assert.deepEqual([one.issue.title, two.issue.title], ['a', 'b'])
  })

  it('28: may say ENG-1 wherever an issue’s id is taken', () => {
    const { data } = startTracker()
    assert.equal(data('{ issue(id: "eng-1") { identifier } }').issue.identifier, 'ENG-1')
    data('mutation { commentCreate(input: { issueId: "ENG-1", body: "x" }) { success } }')
    data('mutation { issueUpdate(id: "ENG-2", input: { parentId: "ENG-1" }) { success } }')
    const { issues } = data(
      '{ issues(filter: { id: { in: ["ENG-1", "ENG-2"] } }) { nodes { parent { identifier } } } }',
    )
    assert.equal(issues.nodes.length, 2)
  })

  it('30: gets the newest first, and pages forwards and backwards by the ids of records', () => {
    const { data } = startTracker()
    const all = data('{ issues { nodes { id identifier } } }').issues.nodes
    assert.deepEqual(
      all.map(({ identifier }: { identifier: string }) => identifier),
      ['OPS-2', 'ENG-3', 'OPS-1', 'ENG-2', 'ENG-1'],
    )
    const page = (args: string) =>
      data(
        `{ issues(${args}) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      ).issues
    const first = page('first: 2')
    assert.deepEqual(first.pageInfo, {
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: all[0].id,
      endCursor: all[1].id,
    })
    assert.equal(first.edges[1].cursor, all[1].id)
    const second = page(`first: 2, after: "${all[1].id}"`)
    assert.deepEqual(
      second.edges.map(({ node }: { node: { id: string } }) => node.id),
      [all[2].id, all[3].id],
    )
    const back = page(`last: 2, before: "${all[3].id}"`)
    assert.deepEqual(
      back.edges.map(({ node }: { node: { id: string } }) => node.id),
      [all[1].id, all[2].id],
    )
    assert.equal(back.pageInfo.hasPreviousPage, true)
    data('mutation { issueUpdate(id: "ENG-1", input: { priority: 3 }) { success } }')
    assert.equal(
      data('{ issues(orderBy: updatedAt, first: 1) { nodes { identifier } } }').issues.nodes[0].identifier,
      'ENG-1',
    )
  })

  it('31: may introspect without a key, descriptions and deprecations included', () => {
    const { send } = startTracker()
    const { status, body } = send(post(getIntrospectionQuery({ inputValueDeprecation: true }), undefined))
    assert.equal(status, 200)
    const issue = body.data.__schema.types.find(({ name }: { name: string }) => name === 'Issue')
    assert.ok(issue.description.length > 20)
    const board = issue.fields.find(({ name }: { name: string }) => name === 'boardOrder')
    assert.equal(board.isDeprecated, true)
    const nulls = body.data.__schema.types
      .find(({ name }: { name: string }) => name === 'PrioritySort')
      .inputFields.find(({ name }: { name: string }) => name === 'nulls')
    assert.equal(nulls.defaultValue, 'last')
    const named = send(post('{ __type(name: "IssueFilter") { inputFields { name } } }', undefined))
    assert.ok(named.body.data.__type.inputFields.length > 40)
  })

  it('32: gets JSON as text, times with milliseconds, and days as days', () => {
    const { data } = startTracker()
    data(
      'mutation { templateCreate(input: { name: "T", type: "issue", templateData: "{\\"title\\":\\"x\\"}" }) { success } }',
    )
    const { templates } = data('{ templates { templateData } }')
    assert.equal(templates[0].templateData, '{"title":"x"}')
    const { issueUpdate } = data(
      'mutation { issueUpdate(id: "ENG-1", input: { dueDate: "2026-03-09" }) { issue { dueDate createdAt } } }',
    )
    assert.deepEqual(issueUpdate.issue, { dueDate: '2026-03-09', createdAt: '2026-02-10T10:00:00.000Z' })
  })

  it('33: may use all of the language: aliases, fragments, directives, several operations, defaults', () => {
    const { send, token } = startTracker()
    const query = `
      query One($with: Boolean = false) { a: issue(id: "ENG-1") { ...Named title @skip(if: $with) number @include(if: $with) } }
      query Two { b: issue(id: "ENG-2") { __typename ... on Issue { identifier } } }
      fragment Named on Issue { identifier }`
    const one = send(post(query, token, {}, { operationName: 'One' }))
    assert.deepEqual(one.body.data, { a: { identifier: 'ENG-1', title: 'Pump leaks at 3 bar' } })
    const two = send(post(query, token, {}, { operationName: 'Two' }))
    assert.deepEqual(two.body.data, { b: { __typename: 'Issue', identifier: 'ENG-2' } })
    assert.equal(two.step.operation, 'query Issue')
    assert.equal(send(post(query, token)).status, 400)
  })

  it('34: runs the mutations of one document one after the other, each whole', () => {
    const { ask, data } = startTracker()
    const { body, step } = ask(`mutation {
      first: issueUpdate(id: "ENG-1", input: { title: "kept" }) { success }
      second: issueUpdate(id: "NOPE-1", input: { title: "lost" }) { success } }`)
    assert.equal(body.data, null)
    assert.deepEqual(body.errors[0].path, ['second'])
    assert.equal(data('{ issue(id: "ENG-1") { title } }').issue.title, 'kept')
    assert.equal(step.operation, 'mutation IssueUpdate')
  })

  it('35: is refused subscriptions with an error of the language', () => {
    const { ask } = startTracker()
    const { status, body, step } = ask('subscription { issueCreated { id } }')
    assert.equal(status, 400)
    assert.deepEqual(step.notEmulated, ['subscription IssueCreated'])
    assert.equal(body.errors[0].extensions.type, 'graphql error')
  })

  it('36: has relative dates held against the world’s clock', () => {
    const { data, clock } = startTracker()
    const recent = () =>
      data('{ issues(filter: { createdAt: { gt: "-P2W3D" } }) { nodes { identifier } } }').issues.nodes.length
    assert.equal(recent(), 2)
    clock.now += 3 * 24 * 60 * 60_000
    assert.equal(recent(), 0)
    data(`mutation { issueCreate(input: { teamId: "${idOf('ENG')}", title: "New" }) { success } }`)
    assert.equal(
      data('{ issues(first: 1) { nodes { createdAt } } }').issues.nodes[0].createdAt,
      '2026-03-05T09:00:00.000Z',
    )
  })

  it('may choose the id of what it creates, once', () => {
    const { ask, data } = startTracker()
    const id = '3f2b7f3e-5a39-4d1e-9a51-0c9f3f0b6a11'
    const create = `mutation { issueCreate(input: { id: "${id}", teamId: "${idOf('ENG')}", title: "x" }) { issue { id } } }`
    assert.equal(data(create).issueCreate.issue.id, id)
    const { body } = ask(create)
    assert.equal(body.errors[0].message, 'conflict on insert of Issue')
    assert.equal(body.errors[0].extensions.code, 'INPUT_ERROR')
    assert.match(body.errors[0].extensions.userPresentableMessage, new RegExp(id))
  })

  it('gets the service’s own error, which is counted, when it asks for what is not emulated', () => {
    const { ask } = startTracker()
    const { body, step } = ask('mutation { integrationDiscord(code: "x", redirectUri: "y") { success } }')
    assert.equal(body.errors[0].extensions.type, 'feature not accessible')
    assert.deepEqual(step.notEmulated, ['mutation IntegrationDiscord'])
  })

  it('attaches an address once; linking it again is refused in the known words', () => {
    const { data, ask } = startTracker()
    const link =
      'mutation { attachmentLinkURL(issueId: "ENG-1", url: "https://example.com/a") { attachment { url issue { identifier } } } }'
    assert.equal(data(link).attachmentLinkURL.attachment.issue.identifier, 'ENG-1')
    assert.equal(ask(link).body.errors[0].message, 'Duplicate attachment for duplicate url')
    assert.equal(
      data('{ attachmentsForURL(url: "https://example.com/a") { nodes { id } } }').attachmentsForURL.nodes
        .length,
      1,
    )
  })

  it('gets an answer to anything it can send', () => {
    const { send, instance, clock, token } = startTracker()
    const raw = (body: string, more: Record<string, unknown> = {}) =>
      instance.handle({ ...post('', token), body: Buffer.from(body), ...more }, clock.now)
    for (const body of ['', '{', '[]', 'null', '{"query":1}', '[{"query":"{viewer{id}}"}]']) {
      const { step, failure } = raw(body)
      assert.equal(failure, undefined)
      assert.equal(step.reply.status, 400, body)
    }
    assert.equal(raw('', { method: 'GET', query: 'query=%7Bviewer%7Bid%7D%7D' }).step.reply.status, 200)
    assert.equal(raw('', { path: '/elsewhere' }).step.reply.status, 404)
    assert.equal(send(post('{ viewer { id } }', `Bearer ${token}`)).status, 200)
  })
})
