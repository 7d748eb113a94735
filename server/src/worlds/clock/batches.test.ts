import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../testing.ts'
import { after, launch, moving, post, start } from './testing-moving.ts'

const at = (minutes: number) => after(minutes)
const tick = (minute: number) => ['event:tick', at(minute)]

it('what happens together in one service ends where something else comes first', async () => {
  await using service = await testService()
  const schedule = {
    service: 'chat',
    operation: 'chat.scheduleMessage',
    input: { channel: '#general', text: 'Later', post_at: Math.floor(start / 1_000) + 210 },
  }
  const world = await launch(
    service,
    moving({
      coworkers: [
        { person: 'bram', replyDelay: '10s', knows: [{ fact: 'It is on Friday.', about: ['party'] }] },
      ],
      events: [
        { key: 'tick', every: '1m', until: '7m', as: 'gus', do: [post('tick')] },
        // Sets something in motion in the twin itself, between two ticks.
        { key: 'schedule', at: '150s', as: 'gus', do: [schedule] },
        // Wakes a colleague, who answers before the next tick.
        {
          key: 'asks',
          at: '250s',
          as: 'gus',
          do: [
            post('When is the party?', {
              input: { channel: { $person: 'bram' }, text: 'When is the party?' },
            }),
          ],
        },
        { key: 'follows', after: ['asks'], delay: '95s', as: 'gus', do: [post('one'), post('two')] },
      ],
    }),
  )
  const moved = await world.clock({ advance: '10m' })
  assert.equal(moved.error, null)
  assert.deepEqual(await world.happened(), [
    tick(1),
    tick(2),
    ['event:schedule', at(2.5)],
    tick(3),
    ['clock', at(3.5)],
    tick(4),
    ['event:asks', at(25 / 6)],
    ['coworker:bram', at(26 / 6)],
    tick(5),
    ['event:follows', at(5.75)],
    ['event:follows', at(5.75)],
    tick(6),
    tick(7),
  ])
})

it('a condition on steps of the world sees each of them before the next', async () => {
  await using service = await testService()
  const world = await launch(
    service,
    moving({
      events: [
        { key: 'tick', every: '1m', until: '4m', as: 'gus', do: [post('tick')] },
        {
          key: 'answers',
          when: { request: { service: 'chat', operation: 'chat.postMessage', actor: 'gus' } },
          times: 2,
          as: 'bram',
          do: [post('seen')],
        },
      ],
    }),
  )
  await world.clock({ advance: '5m' })
  assert.deepEqual(await world.happened(), [
    tick(1),
    ['event:answers', at(1)],
    tick(2),
    ['event:answers', at(2)],
    tick(3),
    tick(4),
  ])
})
