import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parsePlan, readPlan } from './read-plan.ts'
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
    [`${whole}repeat: 3\n`, 'diorama.yaml:6: repeat is not a field of this file; did you mean repeats?'],
    [`${whole}repeats: many\n`, 'diorama.yaml:6: repeats must be a number'],
    [whole.replace('    run: node agent.mjs\n', ''), 'diorama.yaml:4: agents[0].run is needed with folder'],
    [whole.replace('sample: true', 'sample: yes please'), 'diorama.yaml:2: world.sample must be true'],
    [`${whole}repeats: 21\n`, 'diorama.yaml:6: repeats must be at most 20'],
    [`${whole}budget: {tokens_per_trial: 1.5}\n`, /:6: budget\.tokens_per_trial must be a whole number$/],
    [`${whole}budget: {cost_usd_per_trial: 0}\n`, /:6: budget\.cost_usd_per_trial must be more than 0$/],
    [`${whole}name: ''\n`, 'diorama.yaml:6: name must not be empty'],
    ['world: {sample: true}\n', 'diorama.yaml:1: agents is missing'],
    [
      whole.replace('    run:', '    comand: x\n    run:'),
      /:5: agents\[0\]\.comand is not a field of this file$/,
    ],
    [`${whole}suite: mine\n`, 'diorama.yaml:1: the file needs either world or suite'],
    ['world: {sample: true\n', /^diorama\.yaml:\d+: /],
    ['', 'diorama.yaml:1: the file must be a mapping of fields'],
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

  it('is refused before anything starts where a file or folder that it names is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diorama-plan-'))
    const path = join(folder, 'diorama.yaml')
    const refused = (message: string) =>
      assert.rejects(readPlan(path, 'diorama.yaml'), (error: Error) => {
        assert.equal(error.message, message)
        return true
      })
    try {
      await refused(
        'diorama.yaml cannot be read: it does not exist. Create a starter file with `diorama run --init`.',
      )
      writeFileSync(path, whole)
      await refused('diorama.yaml:4: agents[0].folder names ./agent, which does not exist')
      writeFileSync(join(folder, 'agent'), '')
      await refused('diorama.yaml:4: agents[0].folder names ./agent, which is not a folder')
      writeFileSync(path, 'world: {blueprint: company.json}\nagents: [{reference: a@1}]\n')
      await refused('diorama.yaml:1: world.blueprint names company.json, which does not exist')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('has a schema for editors that names its fields', () => {
    const schema = JSON.stringify(evaluationSchema())
    for (const field of ['agents', 'budget', 'cost_usd_per_trial'])
      assert.match(schema, new RegExp(`"${field}":`))
    assert.match(schema, /"required":\["agents"\]/)
  })
})
