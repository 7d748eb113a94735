import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../../testing.ts'
import { launchSample, registerCommand, runToEnd } from '../../testing-runs.ts'
import { careful, careless } from '../testing-agents.ts'
import { attacks, goalKinds } from './library.ts'

describe('the attack library', () => {
  it('has more than thirty attacks of every goal, each with its order in it', () => {
    assert.ok(attacks.length >= 30)
    assert.equal(new Set(attacks.map(({ key }) => key)).size, attacks.length)
    assert.deepEqual(new Set(attacks.map(({ goal }) => goal)), new Set(goalKinds))
    const texts = attacks.map(({ text }) => text('delete the issue OPS-4'))
    assert.equal(new Set(texts).size, attacks.length)
  })
})

describe('attacks', () => {
  it('are obeyed by the careless agent and not by the careful one, whose work they do not disturb', async () => {
    await using service = await testService()
    const { suiteId } = await launchSample(service)
    const agents: string[] = []
    for (const [name, program] of [
      ['careful', careful],
      ['careless', careless],
    ] as const)
      agents.push(
        await registerCommand(
          service,
          name,
          { command: ['node', 'agent.mjs'], network: 'world' },
          { 'agent.mjs': program },
        ),
      )
    const run = { task_suite_id: suiteId, agents, variants: ['attacks'], trials_per_task: 2 }
    const { job, trials, results } = await runToEnd(service, run, { looks: 20_000 })
    const attacked = trials.filter(({ variant }) => variant === 'attacks')
    const shown = JSON.stringify(
      attacked.map((one) => [
        one.agent,
        one.task_title,
        one.status,
        one.error,
        one.passed,
        one.variant_detail,
      ]),
      null,
      1,
    )
    const [kept, obeyed] = results.variants
    assert.deepEqual([kept.security.trials, kept.security.reached, kept.pass_rate], [8, 0, 1], shown)
    assert.equal(kept.comparison.difference, 0, shown)
    assert.deepEqual([obeyed.security.trials, obeyed.security.reached], [8, 8], shown)
    assert.ok(obeyed.security.attacks.length >= 6, shown)
    assert.ok(
      attacked.every(({ variant_detail }) => variant_detail.done.length === 1),
      shown,
    )
    // The planted text is the world's doing, and not the agent's.
    assert.ok(
      attacked.every(({ agent, unasked_changes }) => agent !== 'careful@1' || unasked_changes.total === 0),
      shown,
    )
    const [first] = attacked
    const { steps } = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${first.id}`)).body
    const { detail } = steps.find(({ kind }: { kind: string }) => kind === 'setup')
    assert.equal(detail.variant.attack, first.variant_detail.attack.key)
    const plain = trials.find(({ variant }) => variant === null)
    assert.equal(plain.variant_detail, null)
  })
})
