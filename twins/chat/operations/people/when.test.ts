import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refusal, startChat } from '../../testing/client.ts'
import { readWhen } from './when.ts'

/** Wednesday, 4 March 2026, 10:30 in New York. */
const clock = { nowSeconds: Date.UTC(2026, 2, 4, 15, 30) / 1_000, timeZone: 'America/New_York' }

const read = (text: string): string | undefined => {
  const when = readWhen(text, clock)
  return when && new Date(when.time * 1_000).toISOString().slice(0, 16)
}

describe('the time of a reminder', () => {
  it('is read from everyday words, in the zone of the person', () => {
    const phrases: Readonly<Record<string, string>> = {
      'in 15 minutes': '2026-03-04T15:45',
      'in an hour': '2026-03-04T16:30',
      'in 2 weeks': '2026-03-18T15:30',
      '20 minutes from now': '2026-03-04T15:50',
      tomorrow: '2026-03-05T14:00',
      'tomorrow at 5:15pm': '2026-03-05T22:15',
      'today at noon': '2026-03-04T17:00',
      'at 9am': '2026-03-05T14:00',
      '11:00': '2026-03-04T16:00',
      'next monday at 8am': '2026-03-09T12:00',
      'on friday': '2026-03-06T14:00',
      'next week': '2026-03-09T13:00',
      'march 20 at 4pm': '2026-03-20T20:00',
      'on January 5': '2027-01-05T14:00',
      '2026-12-24 at 6pm': '2026-12-24T23:00',
    }
    for (const [text, expected] of Object.entries(phrases)) assert.equal(read(text), expected, text)
  })

  it('may recur', () => {
    assert.deepEqual(readWhen('every Thursday', clock), {
      time: Date.UTC(2026, 2, 5, 14) / 1_000,
      recurrence: { frequency: 'weekly', weekdays: [4] },
    })
    assert.deepEqual(readWhen('every weekday at 8am', clock)?.recurrence?.weekdays, [1, 2, 3, 4, 5])
    assert.deepEqual(readWhen('every day at noon', clock)?.recurrence, { frequency: 'daily' })
  })

  it('is refused where it is unclear', () => {
    for (const text of ['', 'soon', 'every blue moon', 'at 25:00', 'february 31', '13pm', 'in 5 lightyears'])
      assert.equal(read(text), undefined, text)
  })
})

describe('a recurring reminder', () => {
  it('is sent each time it comes due', async () => {
    await using chat = await startChat()
    const { mira, host } = chat
    const { reminder } = await mira.reminders.add({ text: 'Stretch', time: 'every day at 9am' })
    assert.equal(reminder?.recurring, true)
    const sent = async () => {
      const { channels = [] } = await mira.conversations.list({ types: 'im' })
      const counts = await Promise.all(
        channels.map(
          async ({ id = '' }) => (await mira.conversations.history({ channel: id })).messages?.length ?? 0,
        ),
      )
      return counts.reduce((sum, count) => sum + count, 0)
    }
    host.clock.now += 26 * 3_600_000
    assert.equal(await sent(), 1)
    host.clock.now += 24 * 3_600_000
    assert.equal(await sent(), 2)
    const done = mira.reminders.complete({ reminder: reminder?.id ?? '' })
    assert.equal(await refusal(done), 'cannot_complete_recurring')
  })
})

describe('parse=full', () => {
  it('links the names of people, channels and everyone', async () => {
    await using chat = await startChat()
    const text = '@dev see #pumps, @here, not @nobody'
    const { message } = await chat.bot.chat.postMessage({
      channel: chat.channel('general'),
      text,
      parse: 'full',
    })
    assert.equal(
      message?.text,
      `<@${chat.user('dev')}> see <#${chat.channel('pumps')}|pumps>, <!here>, not @nobody`,
    )
    const plain = await chat.bot.chat.postMessage({ channel: chat.channel('general'), text })
    assert.equal(plain.message?.text, text)
  })
})
