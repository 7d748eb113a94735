import assert from 'node:assert/strict'
import type { TestService } from '../../testing.ts'
import { type Bent, sample } from '../testing-blueprints.ts'

/** The sample company with its own clock and with things that happen in it. */
export const moving = (scenario: Bent = {}): Bent => {
  const blueprint = sample()
  Object.assign(blueprint.scenario, { time: { mode: 'story' }, ...scenario })
  return blueprint
}

export const launch = async (service: TestService, blueprint: Bent) => {
  const { body, status } = await service.call('POST', '/v1/builder/worlds', { blueprint })
  assert.equal(status, 201, JSON.stringify(body))
  const path = `/v1/builder/worlds/${body.world.id}`
  const chat = body.twins.find((twin: Bent) => twin.service === 'chat')
  return {
    path,
    body,
    chat: async (method: string, input: Bent = {}, base = service.baseUrl): Promise<Bent> => {
      const reply = await fetch(`${base}/t/${chat.id}/api/${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${chat.token}`, 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(input),
      })
      return reply.json()
    },
    /** A request to another twin of the world, as the integration. */
    call: async (kind: string, path: string, init: { method?: string; body?: Bent } = {}): Promise<Bent> => {
      const twin = body.twins.find(({ service }: Bent) => service === kind)
      const reply = await fetch(`${service.baseUrl}/t/${twin.id}${path}`, {
        method: init.method ?? 'GET',
        headers: {
          authorization: kind === 'tracker' ? twin.token : `Bearer ${twin.token}`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      })
      const text = await reply.text()
      return text === '' ? null : JSON.parse(text)
    },
    clock: async (move?: Bent, base: TestService = service) =>
      (await base.call(move ? 'POST' : 'GET', `${path}/clock`, move)).body,
    activity: async (query = '') =>
      (await service.call('GET', `${path}/activity?limit=200${query}`)).body.items.toReversed(),
    happened: async () =>
      (await service.call('GET', `${path}/activity?limit=200&cause=world`)).body.items
        .toReversed()
        .map(({ cause, world_time }: Bent) => [cause, world_time]),
  }
}

export const post = (text: string, more: Bent = {}) => ({
  service: 'chat',
  operation: 'chat.postMessage',
  input: { channel: '#general', text },
  ...more,
})

export const start = Date.parse(sample().clock)
export const after = (minutes: number): string => new Date(start + minutes * 60_000).toISOString()
