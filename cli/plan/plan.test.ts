import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsePlan } from './read-plan.ts'
import { evaluationSchema } from './schema.ts'

const whole = `world:
  sample: true
agents:
  - folder: ./agent
    run: node agent.mjs
`

describe('an evaluation file', () => {
  it('needs a world and an agent, and has defaults for the rest', () => {
    const plan = parsePlan(whole, 'diorama.yaml')
    assert.deepEqual([plan.repeats, plan.gate, plan.agents[0]?.run], [1, true, 'node agent.mjs'])
  })

  for (const [text, message] of [
    [`${whole}repeat: 3\n`, 'diorama.yaml:6: repeat is not a field of this file'],
    [`${whole}repeats: many\n`, /^diorama\.yaml:6: repeats is wrong: expected number/],
    [whole.replace('    run: node agent.mjs\n', ''), 'diorama.yaml:4: agents[0].run is needed with folder'],
    [whole.replace('sample: true', 'sample: yes please'), /^diorama\.yaml:2: world\.sample/],
    [`${whole}suite: mine\n`, 'diorama.yaml:1: the file needs either world or suite'],
    ['world: {sample: true\n', /^diorama\.yaml:\d+: /],
    ['', /^diorama\.yaml:1: the file is wrong/],
    [
      `${whole}tasks:\n  - title: t\n    instruction: i\n    scorers:\n      - name: s\n        code: x\n`,
      'diorama.yaml:10: tasks[0].scorers[0].language is needed with code',
    ],
  ] as const)
    it(`is refused by line and field: ${message}`, () => {
      const fits = (error: Error) =>
        typeof message === 'string' ? error.message === message : message.test(error.message)
      assert.throws(
        () => parsePlan(text, 'diorama.yaml'),
        (error: Error) => fits(error) || assert.fail(error.message),
      )
    })

  it('has a schema for editors that names its fields', () => {
    const schema = JSON.stringify(evaluationSchema())
    for (const field of ['agents', 'budget', 'cost_usd_per_trial'])
      assert.match(schema, new RegExp(`"${field}":`))
    assert.match(schema, /"required":\["agents"\]/)
  })
})
