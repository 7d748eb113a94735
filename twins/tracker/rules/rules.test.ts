import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from '../data/rules.ts'
import { trackerSchema } from '../graphql/engine.ts'
import { agentCases } from '../testing/rules/agents.ts'
import { automationCases } from '../testing/rules/automation.ts'
import { customerCases } from '../testing/rules/customers.ts'
import { issueCases } from '../testing/rules/issues.ts'
import { peopleCases } from '../testing/rules/people.ts'
import { planningCases } from '../testing/rules/planning.ts'
import { startTracker } from '../testing/world.ts'

const cases = {
  ...issueCases,
  ...peopleCases,
  ...planningCases,
  ...customerCases,
  ...agentCases,
  ...automationCases,
}

describe('the table of rules', () => {
  it('claims nothing that no case shows, and every case belongs to a rule', () => {
    const claimed = rules.filter(({ status }) => status !== 'not emulated').map(({ id }) => id)
    assert.deepEqual(Object.keys(cases).sort(), [...claimed].sort())
    assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length)
  })

  it('names places of the schema, or where an observation was published', () => {
    const { types } = trackerSchema.get()
    const unknown = rules.filter(({ source, seen }) => {
      const [type = '', field] = source.split('.')
      const model = types.get(type)
      return (
        seen === undefined &&
        !(model && (field === undefined || model.fields?.some(({ name }) => name === field)))
      )
    })
    assert.deepEqual(
      unknown.map(({ id, source }) => `${id}: ${source}`),
      [],
    )
    for (const { evidence, seen, id } of rules) assert.equal(evidence === 'observed', seen !== undefined, id)
  })
})

describe('a rule that the service states', () => {
  for (const { id, rule } of rules) {
    const shows = cases[id]
    if (shows) it(`${rule} (${id})`, () => shows(startTracker()))
  }
})
