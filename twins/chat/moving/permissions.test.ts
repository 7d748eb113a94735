import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Instance } from '@diorama/twin-kit/kernel/instance'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { createScene } from '@diorama/twin-kit/variations/scene'
import { testSection } from '../testing/section.ts'
import { chat } from '../twin.ts'

const start = () => {
  const { instance, token, tokens } = startInstance(seedFor(chat, testSection))
  const call = (method: string, args: Record<string, string>, as = token) => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/x-www-form-urlencoded' }
    const body = Buffer.from(new URLSearchParams(args).toString())
    const request = { method: 'POST', path: `/api/${method}`, query: '', headers, body, baseUrl: '' }
    const { step, failure } = instance.handle(request, testCompany.clock)
    if (failure !== undefined) throw failure
    return { body: JSON.parse(String(step.reply.body)), withheld: step.withheld }
  }
  const withhold = (...permissions: readonly string[]) =>
    instance.control(
      'withhold',
      { subjects: [integration], permissions },
      { at: testCompany.clock, baseUrl: '' },
    )
  const channel = (name: string) => String(instance.tables.channel?.first('name', name)?.id)
  return { instance, call, withhold, channel, tokens }
}
const offered = (instance: Instance, about: string) =>
  chat.variations?.permissions?.withholdable(createScene(instance, { seed: '1', agent: 'nobody', about })) ??
  []

it('the agent is taken out of a channel, is refused by its rules, and asking is counted', () => {
  const { instance, call, withhold, channel, tokens } = start()
  const id = channel('ops-private')
  const taken = offered(instance, 'Tell #pumps.').find(
    ({ permission }) => permission === `membership of ${id}`,
  )
  const [act] = taken?.acts ?? []
  assert.ok(taken && act, JSON.stringify(offered(instance, 'Tell #pumps.')))
  const bot = String(instance.tables.user?.first('subject', integration)?.id)
  assert.equal(call('conversations.kick', { channel: id, user: bot }, tokens[act.as]).body.ok, true)
  withhold(taken.permission)
  const refused = call('conversations.history', { channel: id })
  assert.deepEqual([refused.body.error, refused.withheld], ['channel_not_found', [taken.permission]])
  const { channels } = call('conversations.list', { types: 'private_channel' }).body
  assert.ok(!channels.some((one: { id: string }) => one.id === id))
  assert.equal(call('conversations.history', { channel: channel('pumps') }).withheld, undefined)
})

it('messages of private channels need a scope that can be missing', () => {
  const { instance, call, withhold, channel } = start()
  assert.ok(offered(instance, 'Tell #pumps.').some(({ permission }) => permission === 'groups:history'))
  assert.ok(
    !offered(instance, 'Read #ops-private.').some(({ permission }) => permission === 'groups:history'),
  )
  withhold('groups:history')
  const refused = call('conversations.history', { channel: channel('ops-private') })
  assert.deepEqual(
    [refused.body.error, refused.body.needed, refused.withheld],
    ['missing_scope', 'groups:history', ['groups:history']],
  )
  assert.equal(call('conversations.history', { channel: channel('pumps') }).body.ok, true)
})
