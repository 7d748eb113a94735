import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { idOf, startTracker } from './testing/world.ts'

describe('variables that do not fit', () => {
  const document = `mutation($input: IssueCreateInput!, $n: Int) {
    issueCreate(input: $input) { issue { comments(first: $n) { nodes { id } } } } }`
  const teamId = idOf('ENG')
  const cases: readonly [variables: Record<string, unknown>, message: string][] = [
    [{}, 'Variable "$input" of required type "IssueCreateInput!" was not provided.'],
    [{ input: null }, 'Variable "$input" of non-null type "IssueCreateInput!" must not be null.'],
    [
      { input: 'x' },
      'Variable "$input" got invalid value "x"; Expected type "IssueCreateInput" to be an object.',
    ],
    [
      { input: { title: 'x' } },
      'Variable "$input" got invalid value { title: "x" }; Field "teamId" of required type "String!" was not provided.',
    ],
    [
      { input: { teamId: null } },
      'Variable "$input" got invalid value null at "input.teamId"; Expected non-nullable type "String!" not to be null.',
    ],
    [
      { input: { teamId, titel: 'x' } },
      `Variable "$input" got invalid value { teamId: "${teamId}", titel: "x" }; Field "titel" is not defined by type "IssueCreateInput". Did you mean "title"?`,
    ],
    [
      { input: { teamId, priority: 'high' } },
      'Variable "$input" got invalid value "high" at "input.priority"; Int cannot represent non-integer value: "high"',
    ],
    [
      { input: { teamId, title: 5 } },
      'Variable "$input" got invalid value 5 at "input.title"; String cannot represent a non string value: 5',
    ],
    [
      { input: { teamId, labelIds: ['a', null] } },
      'Variable "$input" got invalid value null at "input.labelIds[1]"; Expected non-nullable type "String!" not to be null.',
    ],
    [
      { input: { teamId, slaType: 'everyDay' } },
      'Variable "$input" got invalid value "everyDay" at "input.slaType"; Value "everyDay" does not exist in "SLADayCountType" enum.',
    ],
  ]
  for (const [variables, message] of cases)
    it(`are reported as ${message.slice(0, 90)}`, () => {
      const { status, body } = startTracker().ask(document, variables)
      assert.equal(status, 400)
      assert.equal('data' in body, false)
      assert.equal(body.errors[0].message, message)
      assert.deepEqual(body.errors[0].locations, [{ line: 1, column: 10 }])
      assert.equal(body.errors[0].extensions.type, 'graphql error')
    })
})
