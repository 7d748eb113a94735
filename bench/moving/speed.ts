import { middle, report } from '../parts/load.ts'

// A world that moves: what pending events cost a request, and how fast the story goes.

interface Service {
  readonly baseUrl: string
  // biome-ignore lint/suspicious/noExplicitAny: replies of several routes.
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ body: any; text: string }>
}

interface Company {
  readonly scenario: object
  readonly identities: readonly { readonly handle: string }[]
}

const requests = 150
const rounds = 7

/** Prints the three figures, each beside its target. */
export const measureMoving = async (service: Service, given: unknown): Promise<void> => {
  const company = given as Company
  const launch = async (events: readonly object[]) => {
    const scenario = { ...company.scenario, time: { mode: 'story', requestCost: '0s' }, events }
    const { body, text } = await service.call('POST', '/v1/builder/worlds', {
      blueprint: { ...company, scenario },
    })
    if (!body.world) throw new Error(text)
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
      if (moved.body.error !== null) throw new Error(moved.text)
      return { ms: performance.now() - began, fired: moved.body.fired as number }
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

  const many = await launch([{ key: 'tick', every: '1m', until: '10000m', as, do: [post] }])
  const { ms, fired } = await many.move('10000m')
  report(
    `${fired.toLocaleString('en')} events, in story order`,
    `${(ms / 1_000).toFixed(2)} s`,
    'under 2 s',
    ms < 2_000 && fired >= 10_000,
  )

  const weeks: number[] = []
  for (let n = 0; n < 20; n++) weeks.push((await idle.move('168h')).ms)
  const week = middle(weeks)
  report('advance an idle week, over HTTP', `${week.toFixed(1)} ms`, 'under 50 ms', week < 50)
}
