import { loadavg } from 'node:os'
import type { FamilyCpu } from '../parts/cpu.ts'
import { middle, report } from '../parts/load.ts'
import type { RunningService } from '../parts/running-service.ts'

// A world that moves: what pending events cost a request, and how fast the story goes.

interface Company {
  readonly scenario: object
  readonly identities: readonly { readonly handle: string }[]
}

const requests = 150
const rounds = 7
const manyRounds = 3

/** Prints the three figures, each beside its target. */
export const measureMoving = async (service: RunningService, given: unknown): Promise<void> => {
  const company = given as Company
  const launch = async (events: readonly object[]) => {
    const scenario = { ...company.scenario, time: { mode: 'story', requestCost: '0s' }, events }
    const body = await service.call('POST', '/v1/builder/worlds', { blueprint: { ...company, scenario } })
    const chat = body.twins.find(({ service: kind }: { service: string }) => kind === 'chat')
    const ask = async () => {
      const reply = await fetch(`${service.baseUrl}/t/${chat.id}/api/auth.test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${chat.token}` },
      })
      await reply.text()
    }
    const move = async (advance: string) => {
      const began = performance.now()
      const moved = await service.call('POST', `/v1/builder/worlds/${body.world.id}/clock`, { advance })
      if (moved.error !== null) throw new Error(moved.error)
      return { ms: performance.now() - began, fired: moved.fired as number }
    }
    return { ask, move }
  }
  const as = company.identities[1]?.handle ?? ''
  const post = { service: 'chat', operation: 'chat.postMessage', input: { channel: '#general', text: 'x' } }
  const pending = Array.from({ length: 200 }, (_, n) => ({
    key: `later-${n}`,
    as,
    do: [post],
    // Half of them wait for a time, and half for something that nobody does.
    ...(n % 2 === 0 ? { at: '9000h' } : { when: { request: { service: 'chat', operation: 'chat.delete' } } }),
  }))

  const [idle, busy] = [await launch([]), await launch(pending)]
  const timed = async ({ ask }: { ask: () => Promise<void> }) => {
    const began = performance.now()
    for (let n = 0; n < requests; n++) await ask()
    return (performance.now() - began) / requests
  }
  await timed(idle)
  await timed(busy)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) ratios.push((1 / (await timed(idle))) * (await timed(busy)))
  const ratio = middle(ratios)
  report(
    'a request with 200 pending events',
    `${ratio.toFixed(2)} ×`,
    'at most 1.1 × one without',
    ratio <= 1.1,
  )

  const ticks = [{ key: 'tick', every: '1m', until: '10000m', as, do: [post] }]
  const single = Array.from({ length: 10_000 }, (_, n) => ({ key: `n${n}`, at: `${n}m`, as, do: [post] }))
  for (const [what, events] of [
    ['of one that repeats', ticks],
    ['each by its own time', single],
  ] as const) {
    const moves: { ms: number; fired: number; cpu: FamilyCpu }[] = []
    for (let round = 0; round < manyRounds; round++) {
      const many = await launch(events)
      const before = service.cpu()
      const { ms, fired } = await many.move('10000m')
      const after = service.cpu()
      const cpu = {
        serviceMs: after.serviceMs - before.serviceMs,
        databaseMs: after.databaseMs - before.databaseMs,
        startedMs: after.startedMs - before.startedMs,
      }
      moves.push({ ms, fired, cpu })
    }
    const best = moves.toSorted((a, b) => a.ms - b.ms)[0]
    const times = moves.map(({ ms }) => `${(ms / 1_000).toFixed(2)}`).join(', ')
    report(
      `10,000 events, ${what}, in story order`,
      `${((best?.ms ?? 0) / 1_000).toFixed(2)} s`,
      'under 2 s',
      (best?.ms ?? 0) < 2_000 && moves.every(({ fired }) => fired === 10_000),
    )
    console.log(
      `     of ${times} s; processor time: service ${best?.cpu.serviceMs} ms, database ${best?.cpu.databaseMs} ms; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    )
  }

  const weeks: number[] = []
  for (let n = 0; n < 20; n++) weeks.push((await idle.move('168h')).ms)
  const week = middle(weeks)
  report('advance an idle week, over HTTP', `${week.toFixed(1)} ms`, 'under 50 ms', week < 50)
}
