import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStandIn } from '../models/testing.ts'
import { type TestService, testService } from '../testing.ts'

const python = (body: string) => ({
  kind: 'code',
  language: 'python',
  code: `def handler(input, output, expected, metadata):\n    ${body}\n`,
})

describe('trying a scorer', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())
  const attempt = (body: object) => service.call('POST', '/v1/scorers/test', body)

  it('runs Python on the sample, and shows what it printed', async () => {
    const { status, body } = await attempt({
      ...python(
        'print("looking"); return {"score": 0.5, "reason": f"{input}|{output}|{expected}|{metadata}"}',
      ),
      input: 'i',
      output: 'o',
      expected: { n: 1 },
      metadata: { a: 'b' },
    })
    assert.equal(status, 200)
    assert.ok(body.duration_ms > 0)
    assert.deepEqual(body, {
      score: 0.5,
      error: null,
      reason: "i|o|{'n': 1}|{'a': 'b'}",
      printed: 'looking\n',
      duration_ms: body.duration_ms,
      isolation: 'bubblewrap',
    })
  })

  it('runs TypeScript, and takes a whole definition', async () => {
    const { status, body } = await attempt({
      name: 'Longer',
      slug: 'longer',
      description: 'Is it longer?',
      kind: 'code',
      language: 'typescript',
      passThreshold: 1,
      code: 'export const handler = (input: string, output: string): number => (output.length > input.length ? 1 : 0)',
      input: 'ab',
      output: 'abc',
    })
    assert.deepEqual([status, body.score, body.error], [200, 1, null])
    assert.deepEqual((await service.call('GET', '/v1/scorers')).body.items, [])
  })

  it('answers with the error of code that throws or gives no score', async () => {
    const thrown = await attempt(python('raise ValueError("no such thing")'))
    assert.deepEqual([thrown.status, thrown.body.score], [200, null])
    assert.match(thrown.body.error, /ValueError: no such thing \(scorer\.py line 2\)/)
    assert.match((await attempt(python('return 2'))).body.error, /outside 0 to 1/)
  })

  it('refuses code that reads a world where none is named, and says what to name', async () => {
    const codes = [
      ['python', 'from world_state import world\ndef handler(*a): return 1'],
      ['python', 'def handler(*a):\n  import json, world_state\n  return 1'],
      ['typescript', "import { world } from 'world-state'\nexport const handler = () => 1"],
      ['typescript', 'export const handler = async () => (await import("world-state")) && 1'],
    ]
    for (const [language, code] of codes) {
      const { status, body } = await attempt({ kind: 'code', language, code })
      assert.deepEqual(
        [status, body.code, body.details[0].pointer],
        [400, 'invalid_reference', '/code'],
        code,
      )
      assert.match(body.error, /name a trial_id .* or a world_id/)
    }
    const comment = await attempt({
      kind: 'code',
      language: 'python',
      code: '# no world_state\ndef handler(*a): return 1',
    })
    assert.equal(comment.body.score, 1)
  })

  it('names every fault of the definition, and fields that it does not know', async () => {
    const faults = await attempt({ kind: 'code', passThreshold: 3 })
    assert.deepEqual(
      faults.body.details.map(({ pointer }: { pointer: string }) => pointer),
      ['/code', '/language', '/passThreshold'],
    )
    assert.equal((await attempt({ kind: 'code', answer: 'x' })).body.details[0].pointer, '/answer')
  })

  it('takes 40 at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        attempt({ ...python('return len(output) / 100'), output: 'x'.repeat(n) }),
      ),
    )
    assert.deepEqual(
      replies.map(({ body }) => body.score),
      replies.map((_, n) => n / 100),
    )
  })

  it('judges without a model give no score and name what to set', async () => {
    const { status, body } = await attempt({ kind: 'llm-judge', prompt: 'Good? {{output}}', output: 'x' })
    assert.deepEqual([status, body.score], [200, null])
    assert.match(body.error, /DIORAMA_JUDGE_MODEL/)
  })
})

describe('trying a scorer on a deployment', () => {
  it('with a judge model asks it', async () => {
    await using standIn = await openStandIn(() => ({ text: '{"choice":"yes","rationale":"It is."}' }))
    await using service = await testService({
      judgeModel: 'openai/small',
      providers: {
        openai: { apiKey: 'sk-test', baseUrl: standIn.baseUrl },
        anthropic: { apiKey: undefined, baseUrl: undefined },
      },
    })
    const { body } = await service.call('POST', '/v1/scorers/test', {
      prompt: 'Good? {{output}}',
      choice_scores: [
        { label: 'yes', score: 0.9 },
        { label: 'no', score: 0.1 },
      ],
      output: 'x',
    })
    assert.deepEqual([body.score, body.reason, body.error, body.printed], [0.9, 'It is.', null, ''])
  })

  it('that chose the weaker isolation says so in every result', async () => {
    await using service = await testService({ sandbox: 'process' })
    const { body } = await service.call('POST', '/v1/scorers/test', python('return 1'))
    assert.deepEqual([body.score, body.isolation], [1, 'process'])
  })

  it('without a sandbox is answered 503, and for an organization without access 403', async () => {
    await using service = await testService({ sandbox: 'bubblewrap', searchPath: '/nonexistent' })
    const unavailable = await service.call('POST', '/v1/scorers/test', python('return 1'))
    assert.deepEqual([unavailable.status, unavailable.body.code], [503, 'sandbox_unavailable'])
    assert.ok(unavailable.headers.get('retry-after'))
    const { body } = await service.call('POST', '/v1/organizations', {
      name: 'O',
      limits: { sandbox: false },
    })
    const theirs = { key: body.key.secret }
    const denied = await service.call('POST', '/v1/scorers/test', python('return 1'), theirs)
    assert.deepEqual([denied.status, denied.body.code], [403, 'sandbox_denied'])
    const suite = await service.call('POST', '/v1/task-suites', { name: 'S' }, theirs)
    const made = await service.call('POST', '/v1/scorers', { name: 'One', ...python('return 1') }, theirs)
    await service.call(
      'POST',
      `/v1/task-suites/${suite.body.id}/tasks`,
      { title: 'T', instruction: 'I', scorers: [{ scorer_id: made.body.id }] },
      theirs,
    )
    const check = await service.call('POST', `/v1/task-suites/${suite.body.id}/check`, undefined, theirs)
    assert.deepEqual([check.status, check.body.code], [403, 'sandbox_denied'])
    const judged = await service.call('POST', '/v1/scorers/test', { prompt: 'x' }, theirs)
    assert.equal(judged.status, 200)
  })
})
