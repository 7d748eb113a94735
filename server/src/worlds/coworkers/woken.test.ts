import assert from 'node:assert/strict'
import { after as afterAll, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../testing.ts'
import { after, launch, moving, post } from '../clock/testing-moving.ts'
import type { Bent } from '../testing-blueprints.ts'

const coworkers = [
  {
    person: 'bram',
    replyDelay: '5m',
    knows: [{ fact: 'The renewal closes on 31 March.', about: ['closing date'] }],
    approvals: [{ about: ['approve', 'approval'], below: 5_000 }],
  },
  { person: 'aiko', replyDelay: '5m', knows: [{ fact: 'Fixed in rc2.', about: ['beacons'] }] },
]

describe('a coworker is woken', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  afterAll(() => service[Symbol.asyncDispose]())
  const open = async (scenario: Bent = {}) => {
    const world = await launch(service, moving({ coworkers, ...scenario }))
    const { members } = await world.chat('users.list')
    return {
      ...world,
      idOf: (name: string) => members.find(({ profile }: Bent) => profile.email?.startsWith(name)).id,
      caused: async () =>
        (await world.activity('&cause=world')).map(({ cause, service: of, operation }: Bent) => [
          cause,
          of,
          operation,
        ]),
    }
  }

  it('by a mention in a channel, and answers in its thread', async () => {
    const world = await open()
    const text = `<@${world.idOf('bram')}> what is the closing date?`
    const { ts } = await world.chat('chat.postMessage', { channel: '#general', text })
    await world.clock({ advance: '10m' })
    const [answer] = await world.activity('&cause=world')
    const { body } = await service.call('GET', `/v1/twins/${answer.twin_id}/activity/${answer.request_id}`)
    const said = body.mutations.find(
      ({ collection, operation }: Bent) => collection === 'message' && operation === 'create',
    )
    assert.deepEqual(
      [said.after.user, said.after.text, said.after.thread_ts],
      [world.idOf('bram'), 'The renewal closes on 31 March.', ts],
    )
  })

  it('by an issue that is assigned to them, in the tracker', async () => {
    const world = await open()
    const ask = async (query: string) => {
      const reply = await world.call('tracker', '/graphql', { method: 'POST', body: { query } })
      assert.equal(reply.errors, undefined, JSON.stringify(reply))
      return reply.data
    }
    const { users } = await ask('{ users { nodes { id email } } }')
    const aiko = users.nodes.find(({ email }: Bent) => email.startsWith('aiko')).id
    const { teams } = await ask('{ teams { nodes { id } } }')
    await ask(
      `mutation { issueCreate(input: { teamId: "${teams.nodes[0].id}", title: "Do the beacons get lost?", assigneeId: "${aiko}" }) { success } }`,
    )
    await world.clock({ advance: '20h' })
    assert.deepEqual(await world.caused(), [['coworker:aiko', 'tracker', 'mutation CommentCreate']])
  })

  it('by a button: they press the one that says what they decided, and the bot hears of it', async () => {
    const world = await open()
    const button = (text: string, more: Bent = {}) => ({
      type: 'button',
      text: { type: 'plain_text', text },
      action_id: text.toLowerCase(),
      value: 'order-4711',
      ...more,
    })
    const ask = (amount: string) =>
      world.chat('chat.postMessage', {
        channel: world.idOf('bram'),
        text: `Please approve ${amount} EUR for the order.`,
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: `Please approve ${amount} EUR for the order.` } },
          { type: 'actions', elements: [button('Reject', { style: 'danger' }), button('Approve')] },
        ],
      })
    const chat = world.body.twins.find((twin: Bent) => twin.service === 'chat')
    const set = await service.call('PUT', `/v1/twins/${chat.id}/settings`, {
      manifest: {
        settings: { interactivity: { is_enabled: true, request_url: 'https://bot.example/slack/events' } },
      },
    })
    assert.ok(set.status < 300, set.text)
    assert.equal((await ask('900')).ok, true)
    assert.equal((await ask('9000')).ok, true)
    await world.clock({ advance: '10m' })
    const pressed = (await world.activity('&cause=coworker:bram')).filter(
      ({ operation }: Bent) => operation === 'interact',
    )
    assert.deepEqual(
      pressed.map(({ refused, actor }: Bent) => [refused, actor.subject]),
      [
        [null, 'bram'],
        [null, 'bram'],
      ],
    )
    const { items } = (await service.call('GET', `/v1/twins/${chat.id}/deliveries`)).body
    const sent: Bent[] = await Promise.all(
      items.map(
        async ({ id }: Bent) => (await service.call('GET', `/v1/twins/${chat.id}/deliveries/${id}`)).body,
      ),
    )
    assert.deepEqual(sent.map(({ payload }) => payload.actions[0].action_id).sort(), ['approve', 'reject'])
    assert.ok(sent.every(({ payload }) => payload.response_url.startsWith(service.baseUrl)))
  })

  it('by a button that no one can press, and answers in words', async () => {
    const world = await open()
    const element = { type: 'button', text: { type: 'plain_text', text: 'Approve' }, action_id: 'approve' }
    await world.chat('chat.postMessage', {
      channel: world.idOf('bram'),
      text: 'What is the closing date?',
      blocks: [{ type: 'actions', elements: [element] }],
    })
    await world.clock({ advance: '10m' })
    assert.deepEqual(await world.caused(), [['coworker:bram', 'chat', 'chat.postMessage']])
  })

  it('by what happens in an event as well', async () => {
    const asks = post('x', { input: { channel: { $person: 'bram' }, text: 'What is the closing date?' } })
    const world = await open({ events: [{ key: 'asks', at: '1m', as: 'gus', do: [asks] }] })
    await world.clock({ advance: '10m' })
    assert.deepEqual(await world.happened(), [
      ['event:asks', after(1)],
      ['coworker:bram', after(6)],
    ])
  })
})
