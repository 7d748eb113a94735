import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { testSection } from '../testing/section.ts'
import { chat } from '../twin.ts'
import { eventNames, unsentEvents } from './event-names.ts'

const seed = seedFor(chat, testSection)
const keyed = (key: string): string => seed.seed.keys.find((one) => one.key === key)?.id ?? ''
const pumps = keyed('pumps')

type Event = Record<string, unknown> & { type: string }

/** A workspace whose app subscribes to everything, and what each call made it emit. */
const start = (manifest?: object) => {
  const { instance, tokens, token } = startInstance(seed)
  const place = { at: testCompany.clock, baseUrl: 'http://twin.example' }
  const all = { settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: eventNames } } }
  instance.control('writeSettings', { manifest: manifest ?? all }, place)
  let now = testCompany.clock
  const ask = (who: string, method: string, args: Record<string, unknown> = {}) => {
    now += 1_000
    const credential = who === 'bot' ? token : (tokens[who] ?? who)
    const request = {
      method: 'POST',
      path: `/api/${method}`,
      query: '',
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${credential}` },
      body: Buffer.from(JSON.stringify(args)),
      baseUrl: 'http://twin.example',
    }
    const { due, step, failure } = instance.handle(request, now)
    assert.equal(failure, undefined, String((failure as Error)?.stack))
    const body = JSON.parse(String(step.reply.body))
    const emissions = [...(due?.emissions ?? []), ...step.emissions]
    return { body, emissions, events: emissions.map(({ payload }) => payload.event as Event) }
  }
  const user = (handle: string) => String([...(instance.tables.user?.find('subject', handle) ?? [])][0]?.id)
  const settings = instance.control('readSettings', {}, place).output as {
    bot_user_id: string
    credentials: Record<string, string>
  }
  return { instance, ask, user, bot: settings.bot_user_id, settings, place }
}

const typesOf = (events: readonly Event[]): string[] =>
  events.map(({ type, subtype }) => (subtype === undefined ? type : `${type}.${String(subtype)}`))

describe('the events of an app', () => {
  it('follow from what people and bots do', () => {
    const { ask, user, bot } = start()
    const said = ask('mira', 'chat.postMessage', { channel: pumps, text: `<@${bot}> hello` })
    assert.deepEqual(typesOf(said.events), ['message', 'app_mention'])
    const { ts } = said.body
    const [message] = said.emissions
    assert.equal(message?.payload.type, 'event_callback')
    assert.deepEqual(
      [said.events[0]?.channel_type, said.events[0]?.user, said.events[0]?.event_ts],
      ['channel', user('mira'), ts],
    )
    const at = { channel: pumps, timestamp: ts }
    const made = (who: string, method: string, args: object) =>
      typesOf(ask(who, method, args as Record<string, unknown>).events)
    assert.deepEqual(made('dev', 'reactions.add', { ...at, name: 'eyes' }), ['reaction_added'])
    assert.deepEqual(made('dev', 'reactions.remove', { ...at, name: 'eyes' }), ['reaction_removed'])
    assert.deepEqual(made('mira', 'pins.add', at), ['pin_added'])
    assert.deepEqual(made('mira', 'pins.remove', at), ['pin_removed'])
    assert.deepEqual(made('mira', 'chat.update', { channel: pumps, ts, text: 'Hello again' }), [
      'message.message_changed',
    ])
    assert.deepEqual(made('mira', 'chat.delete', { channel: pumps, ts }), ['message.message_deleted'])
    assert.deepEqual(made('mira', 'conversations.setTopic', { channel: pumps, topic: 'Late ones' }), [
      'message.channel_topic',
    ])
    const room = ask('mira', 'conversations.create', { name: 'valves' })
    assert.deepEqual(typesOf(room.events), ['channel_created'])
    const channel = room.body.channel.id
    assert.deepEqual(made('mira', 'conversations.invite', { channel, users: bot }), [
      'member_joined_channel',
      'message.channel_join',
    ])
    assert.deepEqual(made('mira', 'conversations.rename', { channel, name: 'seals' }), [
      'channel_rename',
      'message.channel_name',
    ])
    assert.ok(made('mira', 'conversations.archive', { channel }).includes('channel_archive'))
    assert.deepEqual(made('mira', 'users.profile.set', { profile: { status_text: 'Out' } }), [
      'user_change',
      'user_profile_changed',
      'user_status_changed',
    ])
    const direct = ask('mira', 'conversations.open', { users: bot }).body.channel.id
    const [whisper] = ask('mira', 'chat.postMessage', { channel: direct, text: 'Hi' }).events
    assert.deepEqual([whisper?.type, whisper?.channel_type], ['message', 'im'])
  })

  it('reach an app only of what it subscribes to and may see, and what is refused emits nothing', () => {
    const manifest = {
      settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.groups'] } },
    }
    const { ask } = start(manifest)
    assert.deepEqual(ask('mira', 'chat.postMessage', { channel: pumps, text: 'in public' }).emissions, [])
    const { body } = ask('mira', 'conversations.create', { name: 'secret-room', is_private: true })
    const { id } = body.channel
    assert.deepEqual(ask('mira', 'chat.postMessage', { channel: id, text: 'alone' }).emissions, [])
    const refused = start().ask('mira', 'chat.postMessage', { channel: 'C0NONE', text: 'nowhere' })
    assert.equal(refused.body.ok, false)
    assert.deepEqual(refused.emissions, [])
  })

  it('come also of what the clock does', () => {
    const { ask } = start()
    const post_at = Math.floor(testCompany.clock / 1_000) + 120
    ask('mira', 'chat.scheduleMessage', { channel: pumps, text: 'Later', post_at })
    let seen: string[] = []
    for (let n = 0; n < 200 && seen.length === 0; n++) seen = typesOf(ask('mira', 'api.test').events)
    assert.deepEqual(seen, ['message'])
  })

  it('are refused by name where the service has none, and listed where the twin causes none', () => {
    const { instance, place } = start()
    const write = (bot_events: string[]) =>
      instance.control(
        'writeSettings',
        { manifest: { settings: { event_subscriptions: { bot_events } } } },
        place,
      )
    assert.throws(() => write(['app_mention', 'app_shouting']), /app_shouting is no event/)
    const { output } = write(['app_mention', 'team_join'])
    assert.deepEqual((output as { not_emulated: string[] }).not_emulated, ['team_join'])
    assert.ok(unsentEvents.has('team_join'))
  })
})

describe('Socket Mode of an app', () => {
  it('is opened by the app-level token and refused where the manifest turns it off', () => {
    const { ask, settings } = start()
    const { app_token = '' } = settings.credentials
    assert.match(ask(app_token, 'apps.connections.open').body.url, /^ws:\/\/twin\.example\/link\/\?ticket=/)
    assert.equal(ask('mira', 'apps.connections.open').body.error, 'not_allowed_token_type')
    const off = start({ settings: { socket_mode_enabled: false } })
    assert.equal(off.ask(app_token, 'apps.connections.open').body.ok, false)
  })
})
