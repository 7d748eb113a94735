import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../testing.ts'
import type { Bent } from '../testing-blueprints.ts'
import { endless } from './testing-faulty-twins.ts'
import { after, launch, moving, post } from './testing-moving.ts'

it('a step that ends the thread of its twin halts the world; what came before it in its batch happens once', async () => {
  await using service = await testService({
    twinIsolates: {
      count: 1,
      maxOpMs: 5_000,
      maxHeapMb: 512,
      twinsModule: new URL('./testing-faulty-twins.ts', import.meta.url).href,
    },
  })
  const world = await launch(
    service,
    moving({
      events: [
        { key: 'tick', every: '1m', until: '9m', as: 'gus', do: [post('tick')] },
        { key: 'endless', at: '270s', as: 'gus', do: [post('before'), post(endless)] },
      ],
    }),
  )
  const moved = await world.clock({ advance: '10m' })
  assert.match(moved.error, /^event:endless took more time or memory than a twin has/)
  assert.deepEqual([moved.now, moved.fired], [after(10), 5])
  const ticks = Array.from({ length: 4 }, (_, n) => ['event:tick', after(n + 1)])
  assert.deepEqual(await world.happened(), [...ticks, ['event:endless', after(4.5)]])
  // Halted, the world still answers, and its clock still moves.
  assert.equal((await world.chat('auth.test')).ok, true)
  assert.equal((await world.clock({ advance: '1h' })).fired, 5)
  const lost = service.logged.filter(({ facts }: Bent) => facts.event === 'world.halted')
  assert.equal(lost.length, 1)
})
