import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileSeed } from '@diorama/twin-kit/kernel/seed'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { testSection } from './testing/section.ts'
import { chat } from './twin.ts'

const { seed, warnings } = compileSeed(chat, testSection, testCompany)
const rows = (collection: string): readonly Row[] => seed.tables[collection] ?? []
const keyed = (key: string): Row => {
  const found = seed.keys.find((one) => one.key === key)
  const row = rows(found?.collection ?? '').find(({ id }) => id === found?.id)
  assert.ok(row, key)
  return row
}
const user = (subject: string): Row => {
  const row = rows('user').find((one) => one.subject === subject)
  assert.ok(row, subject)
  return row
}

describe('the seed of a workspace', () => {
  it('has one account for each person, the bot and the service’s own', () => {
    assert.deepEqual(
      rows('user')
        .map(({ name }) => name)
        .sort(),
      ['dev', 'integration-bot', 'lucia', 'mira', 'slackbot'],
    )
    const lucia = user('lucia') as { profile: Record<string, string> } & Row
    assert.equal(lucia.real_name, 'Lucía Fernández')
    assert.equal(lucia.tz, 'America/New_York')
    assert.equal(lucia.profile.title, 'Account Executive')
    assert.equal(lucia.profile.email, 'lucia@northwind.example')
    assert.equal(user('mira').is_primary_owner, true)
    assert.equal(user('dev').is_admin, false)
    assert.deepEqual(
      rows('team').map(({ name, domain }) => [name, domain]),
      [['Northwind Supply', 'northwind']],
    )
  })

  it('makes general the general channel, and keeps topic, purpose, creator, privacy and archive', () => {
    assert.equal(keyed('general').is_general, true)
    const pumps = keyed('pumps') as { topic: { value: string }; purpose: { value: string } } & Row
    assert.equal(pumps.topic.value, 'P-200 launch')
    assert.equal(pumps.purpose.value, 'All about pumps')
    assert.equal(pumps.creator, user('dev').id)
    assert.equal(keyed('deal-desk').kind, 'private_channel')
    assert.equal(keyed('old-stuff').is_archived, true)
  })

  it('puts the bot in public channels, and in private ones with the API owner', () => {
    const bot = user('integration').id
    const rooms = rows('channel_member').filter((member) => member.user === bot)
    const names = rooms.map((member) => rows('channel').find(({ id }) => id === member.channel)?.name).sort()
    assert.deepEqual(names, ['general', 'old-stuff', 'ops-private', 'pumps'])
  })

  it('writes mentions and channels natively, outside code and e-mail addresses', () => {
    const [dev, lucia, pumps] = [user('dev').id, user('lucia').id, keyed('pumps').id]
    assert.equal(keyed('welcome').text, `Welcome <@${dev}> &amp; <@${lucia}> to <#${pumps}|pumps>!`)
    const texts = rows('message').map(({ text }) => text)
    assert.ok(texts.includes('Mail ops@northwind.example, not `@dev`'))
    assert.ok(texts.includes('Thanks! Docs: <https://docs.example/p200>'))
    assert.ok(texts.includes('Demo for Contoso on Friday :tada:'))
  })

  it('keeps story time, threads and reactions', () => {
    const late = keyed('late')
    assert.equal(late.ts, `${Date.parse('2026-02-21T10:00:00Z') / 1_000}.000000`)
    const replies = rows('message').filter(({ thread_ts }) => thread_ts === late.ts)
    assert.equal(replies.length, 2)
    assert.ok(replies.every(({ parent_user_id }) => parent_user_id === user('dev').id))
    const reacted = rows('message').filter(({ reactions }) => reactions !== undefined)
    assert.deepEqual(
      reacted.map(({ reactions }) => reactions),
      [[{ name: '+1', users: [user('mira').id, user('lucia').id], count: 2 }]],
    )
    assert.equal(keyed('build').bot_id, rows('bot')[0]?.id)
  })

  it('leaves the messages that the service writes itself, before the first and after the last of people', () => {
    const own = rows('message').filter(({ channel }) => channel === keyed('old-stuff').id)
    const subtypes = own
      .toSorted((a, b) => (String(a.ts) < String(b.ts) ? -1 : 1))
      .map(({ subtype }) => subtype)
    assert.deepEqual(subtypes, [
      ...Array.from({ length: 4 }, () => 'channel_join'),
      'channel_purpose',
      undefined,
      'channel_archive',
    ])
  })

  it('warns of emoji that do not exist, of replies to nothing, and of channels younger than their messages', () => {
    assert.deepEqual(warnings, [])
    const [first, ...rest] = testSection.messages
    assert.ok(first)
    const odd = {
      channels: testSection.channels.map((one) => ({ ...one, createdAt: '2026-02-28T00:00:00Z' })),
      messages: [{ ...first, replyTo: 'nothing', reactions: [{ name: 'no_such', by: ['dev'] }] }, ...rest],
    }
    const compiled = compileSeed(chat, odd, testCompany)
    const pointers = compiled.warnings.map(({ pointer }) => pointer)
    assert.ok(pointers.includes('/messages/0/replyTo'))
    assert.ok(pointers.includes('/messages/0/reactions/0/name'))
    assert.ok(pointers.includes('/channels/0/createdAt'))
  })
})
