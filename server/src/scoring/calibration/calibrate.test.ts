import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createSuite, registerCommand, runToEnd } from '../../evaluations/testing-runs.ts'
import { openStandIn, type StandIn } from '../../models/testing.ts'
import { type TestService, testService } from '../../testing.ts'

const choiceScores = [
  { label: 'right', score: 1 },
  { label: 'wrong', score: 0 },
]
const judge = { name: 'Capitals', prompt: 'Is {{output}} right? Expected: {{expected}}', choiceScores }

/** People agree with the judge on all but the last: it takes everything that mentions Paris for right. */
const examples = [
  { output: 'Paris.', expected: 'Paris', label: 'right' },
  { output: 'It is Paris, of course.', expected: 'Paris', label: 'right' },
  { output: 'Lyon.', expected: 'Paris', label: 'wrong' },
  { output: 'Not Paris.', expected: 'Paris', label: 'wrong' },
]

describe('a judge held against people', () => {
  let service: TestService
  let standIn: StandIn
  let scorerId: string
  const calibrate = (body: unknown, id = scorerId) =>
    service.call('POST', `/v1/scorers/${id}/calibrations`, body)

  before(async () => {
    standIn = await openStandIn(({ body }) => {
      const asked = JSON.stringify(body.messages.at(-1)).split('Expected:')[0] ?? ''
      if (asked.includes('silence')) return { status: 400 }
      const said = /Paris/.test(asked) ? 'right' : 'wrong'
      return {
        text: JSON.stringify({ choice: said, score: said === 'right' ? 1 : 0, rationale: `It is ${said}.` }),
      }
    })
    service = await testService({
      judgeModel: 'openai/small',
      models: {
        ...{ providers: {}, prices: {}, timeoutMs: 60_000 },
        privateHosts: [new URL(standIn.baseUrl).host],
      },
    })
    await service.call('PUT', '/v1/model-providers/openai', { base_url: standIn.baseUrl, api_key: 'sk-real' })
    scorerId = (await service.call('POST', '/v1/scorers', judge)).body.id
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await standIn[Symbol.asyncDispose]()
  })

  it('is reported with agreement, kappa, confusion and every disagreement, and the report is kept', async () => {
    const { status, body } = await calibrate({ examples })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body.examples, body.answered, body.cached, body.agreement], [4, 4, 0, 0.75])
    assert.deepEqual(body.labels, ['right', 'wrong'])
    assert.deepEqual(body.confusion, [
      [2, 0],
      [1, 1],
    ])
    assert.equal(body.kappa, 0.5)
    assert.deepEqual(
      body.disagreements.map((one: { example: number; label: string; judged: string; reason: string }) => [
        ...[one.example, one.label, one.judged, one.reason],
      ]),
      [[3, 'wrong', 'right', 'It is right.']],
    )
    assert.deepEqual([body.model, body.scorer_version], ['openai/small', 1])
    const { items } = (await service.call('GET', `/v1/scorers/${scorerId}/calibrations`)).body
    assert.deepEqual(items, [body])
    const theirs = (await service.call('POST', '/v1/organizations', { name: 'Other' })).body.key.secret
    for (const method of ['GET', 'POST'])
      assert.equal(
        (
          await service.call(
            method,
            `/v1/scorers/${scorerId}/calibrations`,
            method === 'POST' ? { examples } : undefined,
            { key: theirs },
          )
        ).status,
        404,
      )
  })

  it('is asked once for the same content; another input, prompt, model or endpoint is another question', async () => {
    const asked = () => standIn.asked.length
    let before = asked()
    const again = (await calibrate({ examples })).body
    assert.deepEqual([again.cached, again.agreement, again.kappa], [4, 0.75, 0.5])
    assert.equal(asked(), before, 'a known verdict makes no call')
    const calls = async (change: object, wanted: number, what: string) => {
      await service.call('PUT', `/v1/scorers/${scorerId}`, { ...judge, ...change })
      before = asked()
      const { body } = await calibrate({ examples })
      assert.deepEqual([asked() - before, body.cached], [wanted, 4 - wanted], what)
    }
    await calls({ prompt: `${judge.prompt} Be strict.` }, 4, 'another prompt')
    await calls({ model: 'openai/large' }, 4, 'another model')
    await calls({ useCot: true }, 4, 'other instructions')
    await calls({ passThreshold: 0.7 }, 0, 'a threshold is no part of the question')
    const elsewhere = { base_url: standIn.baseUrl.replace('/v1', '/v2'), api_key: 'sk-real' }
    await service.call('PUT', '/v1/model-providers/openai', elsewhere)
    await calls({}, 4, 'another endpoint')
    before = asked()
    await calibrate({
      examples: [...examples.slice(1), { output: 'Rome.', expected: 'Paris', label: 'wrong' }],
    })
    assert.equal(asked() - before, 1, 'another input')
  })

  it('names the example whose label or trial is wrong, and leaves out of its figures what has no verdict', async () => {
    const bad = await calibrate({ examples: [examples[0], { ...examples[1], label: 'maybe' }] })
    assert.deepEqual([bad.status, bad.body.details[0].pointer], [400, '/examples/1/label'], bad.text)
    const gone = await calibrate({ examples: [examples[0], { trial_id: 'trl_none', label: 'right' }] })
    assert.equal(gone.body.details[0].pointer, '/examples/1/trial_id')
    assert.equal((await calibrate({ examples: [examples[0]] })).status, 400)
    const { body } = await calibrate({ examples: [...examples, { output: 'silence', label: 'wrong' }] })
    assert.deepEqual([body.examples, body.answered, body.agreement], [5, 4, 0.75])
    const last = body.disagreements.at(-1)
    assert.deepEqual([last.example, last.judged], [4, null])
    assert.match(last.error, /400/)
    const code = { name: 'Code', kind: 'code', language: 'python', code: 'def handler(*_):\n    return 1\n' }
    const other = (await service.call('POST', '/v1/scorers', code)).body.id
    assert.match((await calibrate({ examples }, other)).text, /only judges are calibrated/)
  })

  it('decides a trial once for the same answer, and its labels can come from trials', async () => {
    const suiteId = await createSuite(service, { scorers: [{ ...judge, passThreshold: 1 }] })
    const command = { command: 'echo Paris again > "$WORK_DIR/output.txt"' }
    const agents = [await registerCommand(service, 'says', command)]
    const before = standIn.asked.length
    const first = await runToEnd(service, { task_suite_id: suiteId, agents })
    const second = await runToEnd(service, { task_suite_id: suiteId, agents })
    assert.deepEqual([first.trials[0].passed, second.trials[0].passed], [true, true])
    assert.equal(standIn.asked.length - before, 1)
    const usage = (await service.call('GET', `/v1/backtests/jobs/${second.job.id}/model-usage`)).body
    assert.equal(usage.total.calls, 0)
    const labelled = [first, second].map(({ trials }) => ({ trial_id: trials[0].id, label: 'right' }))
    await service.call('PUT', `/v1/scorers/${scorerId}`, judge)
    const { body } = await calibrate({ examples: labelled })
    assert.deepEqual([body.answered, body.agreement, body.kappa], [2, 1, null], JSON.stringify(body))
  })
})
