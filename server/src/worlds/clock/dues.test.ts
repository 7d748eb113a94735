import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../testing.ts'
import type { Bent } from '../testing-blueprints.ts'
import { after, launch, moving, start } from './testing-moving.ts'

const owner = 'imogen.hale'
const unixAfter = (minutes: number): number => start / 1_000 + minutes * 60
const issue = { $key: 'drift' }

/** What people ask the services to do later, none of it in the order in which it comes due. */
const asked = [
  ['chat', 'chat.scheduleMessage', { channel: '#general', text: 'Scheduled', post_at: unixAfter(40) }],
  ['chat', 'reminders.add', { text: 'stand up', time: String(unixAfter(30)) }],
  ['tracker', 'issueUpdate', { id: issue, input: { dueDate: after(15 * 60).slice(0, 10) } }],
  ['tracker', 'issueUpdate', { id: issue, input: { assigneeId: { $person: owner } } }],
  ['tracker', 'issueUpdate', { id: issue, input: { slaBreachesAt: after(75), slaStartedAt: after(0) } }],
  ['tracker', 'issueReminder', { id: issue, reminderAt: after(50) }],
].map(([service, operation, input]) => ({ service, operation, input }))

it('what services do on their own comes in one order over all of them as time passes', async () => {
  await using service = await testService()
  const blueprint = moving({ events: [{ key: 'asked', at: '5m', as: owner, do: asked }] })
  // Opened at 10:05 six days earlier: escalated 60 minutes after the start of the story.
  blueprint.twins.crm.escalation = [{ priority: 'high', ageOverMinutes: 6 * 1_440 - 5, assignTo: 'tomas' }]
  const world = await launch(service, blueprint)
  assert.equal((await world.clock({ advance: '6m' })).error, null)
  const refusals = (await world.activity('&cause=world')).map(({ refused }: Bent) => refused)
  assert.deepEqual(
    refusals,
    asked.map(() => null),
  )
  await world.clock({ advance: '20h' })

  const happened = (await world.activity('&cause=world')).filter(({ cause }: Bent) => cause === 'clock')
  assert.deepEqual(
    happened.map(({ service: kind, world_time }: Bent) => [kind, world_time]),
    [
      ['chat', after(30)],
      ['chat', after(40)],
      ['tracker', after(50)],
      // Three quarters of the time to the breach are over.
      ['tracker', after(56.25)],
      ['crm', after(60)],
      ['tracker', after(75)],
      ['tracker', after(15 * 60)],
    ],
  )

  const said = await world.chat('conversations.history', { channel: await generalOf(world) })
  assert.equal(said.messages[0].text, 'Scheduled', JSON.stringify(said))
  const { data } = await world.call('tracker', '/graphql', {
    method: 'POST',
    body: { query: '{ notifications(first: 50) { nodes { type createdAt } } }' },
  })
  const told = data.notifications.nodes.filter(({ createdAt }: Bent) => Date.parse(createdAt) > start)
  assert.deepEqual(told.map(({ type, createdAt }: Bent) => [type, createdAt]).toSorted(), [
    ['issueDue', after(15 * 60)],
    ['issueReminder', after(50)],
  ])
  const query = `?q=${encodeURIComponent('SELECT Id FROM Case WHERE IsEscalated = true')}`
  assert.equal((await world.call('crm', `/services/data/v60.0/query${query}`)).totalSize, 1)
})

const generalOf = async ({ chat }: Bent): Promise<string> =>
  (await chat('conversations.list')).channels.find(({ name }: Bent) => name === 'general').id
