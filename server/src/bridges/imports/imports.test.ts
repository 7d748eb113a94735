import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerCommand, runToEnd } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of several routes are looked into.
type Body = any

describe('tasks of other tools', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  const send = async (query: string, text: string) => {
    const reply = await fetch(`${service.baseUrl}/v1/task-suites/import?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/plain' },
      body: text,
    })
    return { status: reply.status, body: (await reply.json()) as Body }
  }
  const tasksOf = async (suiteId: string): Promise<Body[]> =>
    (await service.call('GET', `/v1/task-suites/${suiteId}/tasks?limit=200`)).body.items

  const promptfoo = `
description: Greetings
prompts:
  - "Greet {{name}} in {{ language }}."
defaultTest:
  vars: { language: English }
  assert:
    - { type: not-contains, value: "Sorry" }
tests:
  - description: A name
    vars: { name: ["Zoë", "Bo"] }
    assert:
      - { type: icontains, value: "{{name}}" }
      - { type: regex, value: "^\\\\w+", weight: 0 }
    metadata: { source: manual }
  - vars: { name: Ada }
    assert: [{ type: similar, value: Hello }]
  - vars: { name: Eve }
    assert: [{ type: contains, value: Eve }]
    options: { transform: output.trim() }
  - vars: { who: Eve }
    assert: [{ type: contains, value: Eve }]
`

  it('makes a task of each prompt, test and value of promptfoo, and refuses the rest by name', async () => {
    const { status, body } = await send('format=promptfoo', promptfoo)
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.suite.name, 'Greetings')
    assert.deepEqual(
      body.refused.map(({ name, reason }: Body) => `${name}: ${reason}`),
      [
        'tests[1]: the assertion similar is not known here',
        'tests[2]: options changes how a test is run, and is not known here',
        'tests[3]: its prompt names name, which is no variable of the test',
      ],
    )
    const tasks = await tasksOf(body.suite.id)
    assert.deepEqual(
      tasks.map(({ title, instruction, metadata }) => [
        title,
        instruction,
        metadata.vars.name,
        metadata.source,
      ]),
      [
        ['A name', 'Greet Zoë in English.', 'Zoë', 'manual'],
        ['A name', 'Greet Bo in English.', 'Bo', 'manual'],
      ],
    )
    assert.deepEqual(
      tasks[0].scorers.map(({ name }: Body) => name),
      ['not-contains "Sorry"', 'icontains "Zoë"', 'regex "^\\\\w+"'],
    )
  })

  it('grades what an agent answers as the assertions say, and only reports those without a weight', async () => {
    const { body } = await send('format=promptfoo', promptfoo)
    const reference = await registerCommand(service, 'greeter', {
      command: 'echo "--- hello zoë" > "$WORK_DIR/output.txt"',
    })
    const { trials } = await runToEnd(service, { task_suite_id: body.suite.id, agents: [reference] })
    const byTask = new Map(trials.map((trial: Body) => [trial.task_id, trial]))
    const [zoe, bo] = body.tasks.map(({ task_id }: Body) => byTask.get(task_id))
    assert.deepEqual([zoe.passed, bo.passed], [true, false], JSON.stringify(trials))
    assert.deepEqual(
      zoe.scores.map(({ score, passed }: Body) => [score, passed]),
      [
        [1, true],
        [1, true],
        [0, null],
      ],
    )
  })

  it('makes a task of each sample of Inspect, from JSON Lines and from YAML', async () => {
    const lines = [
      '{"input": "What is 6 × 7?", "target": "42", "id": "sum", "metadata": {"level": 1}}',
      '',
      '{"input": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Capital of France?"}], "target": ["Paris", "paris"]}',
      '{"input": "Pick", "choices": ["red", "blue"], "target": "B", "id": 7}',
      '{"input": "x", "target": "y", "sandbox": "docker"}',
      '{"input": [{"role": "assistant", "content": "Hi"}], "target": "y"}',
      '{"input": "x"}',
      '{"target": "y"}',
    ].join('\n')
    const { status, body } = await send('format=inspect&scorer=match&name=Samples', lines)
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(
      body.tasks.map(({ name }: Body) => name),
      ['sum', 'sample 2', '7'],
    )
    assert.deepEqual(
      body.refused.map(({ name, reason }: Body) => `${name}: ${reason}`.slice(0, 60)),
      [
        'sample 4: it has sandbox, which a task without a world does ',
        'sample 5: input has a message of the role assistant, which a',
        'sample 6: target is empty, so nothing would decide it',
        'sample 7: input is wrong: Invalid input',
      ],
    )
    const [sum, capital, pick] = await tasksOf(body.suite.id)
    assert.deepEqual(sum.metadata, { level: 1, sample_id: 'sum' })
    assert.equal(capital.instruction, 'Be short.\n\nCapital of France?')
    assert.match(pick.instruction, /A\) red\nB\) blue/)
    const yaml = await send('format=inspect', '- input: Say yes\n  target: yes please\n')
    assert.equal(yaml.status, 201, JSON.stringify(yaml.body))
    const reference = await registerCommand(service, 'answers', {
      command:
        'grep -q Pick "$INSTRUCTION_PATH" && a="B." || a="It is 42!"; echo "$a" > "$WORK_DIR/output.txt"',
    })
    const { trials } = await runToEnd(service, { task_suite_id: body.suite.id, agents: [reference] })
    const passed = new Map(trials.map((trial: Body) => [trial.task_id, trial.passed]))
    assert.deepEqual(
      body.tasks.map(({ task_id }: Body) => passed.get(task_id)),
      [true, false, true],
    )
  })

  it('says what is wrong with a file that cannot be read', async () => {
    const cases: [query: string, text: string, error: RegExp][] = [
      ['format=promptfoo', 'tests: tests.csv', /tests names a file/],
      ['format=promptfoo', 'tests: [{vars: 3}]', /\/tests\/0\/vars/],
      ['format=promptfoo', 'a: [', /neither YAML nor JSON/],
      ['format=promptfoo', 'tests: []', /Nothing can be imported. There are no tasks/],
      ['format=inspect', '{"input": "x", "target": "y"}\n{"input"', /Line 2 is not JSON/],
      ['format=inspect', '', /not a list of samples|Nothing can be imported/],
      ['format=harbor', 'not an archive', /not a \.tar\.gz/],
      ['format=other', '', /format/],
    ]
    for (const [query, text, error] of cases) {
      const { status, body } = await send(query, text)
      assert.equal(status, 400, `${query} ${text}`)
      assert.match(body.error, error)
    }
  })
})
