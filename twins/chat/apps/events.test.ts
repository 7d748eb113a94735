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
    const invite = { channel: pumps, emails: ['sam@elsewhere.example'] }
    const { invite_id } = ask('bot', 'conversations.inviteShared', invite).body
    const [declined] = ask('bot', 'conversations.declineSharedInvite', { invite_id }).events
    assert.deepEqual(
      [declined?.type, Object(declined?.invite).recipient_email, Object(declined?.declining_user).id],
      ['shared_channel_invite_declined', 'sam@elsewhere.example', bot],
    )
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
    const whispers = ask('mira', 'chat.postMessage', { channel: direct, text: 'Hi' }).events
    assert.deepEqual(
      whispers.map(({ type, channel_type }) => [type, channel_type]),
      [
        ['message', 'im'],
        ['message', 'app_home'],
      ],
    )
  })

  it('of a person’s own list reach the apps that act for that person, and no bot', () => {
    const events = [
      'im_open',
      'im_close',
      'dnd_updated',
      'dnd_updated_user',
      'subteam_self_added',
      'subteam_self_removed',
    ]
    const event_subscriptions = { bot_events: events, user_events: events }
    const { ask, bot, instance, user } = start({
      settings: { socket_mode_enabled: true, event_subscriptions },
    })
    const owner = [...(instance.tables.user?.all() ?? [])].find(({ is_primary_owner }) => is_primary_owner)
    const [self, other] = [String(owner?.subject), String(owner?.subject) === 'mira' ? 'dev' : 'mira']
    const made = (who: string, name: string, args: object = {}) =>
      typesOf(ask(who, name, args as Record<string, unknown>).events)
    const channel = ask(self, 'conversations.open', { users: user(other) }).body.channel.id
    assert.deepEqual(made(self, 'conversations.close', { channel }), ['im_close'])
    assert.deepEqual(made(self, 'conversations.open', { channel }), ['im_open'])
    assert.deepEqual(made(other, 'conversations.close', { channel }), [])
    assert.deepEqual(made(self, 'dnd.setSnooze', { num_minutes: 5 }), ['dnd_updated_user', 'dnd_updated'])
    assert.deepEqual(made(other, 'dnd.setSnooze', { num_minutes: 5 }), ['dnd_updated_user'])
    const usergroup = ask(self, 'usergroups.create', { name: 'Night shift', handle: 'night' }).body.usergroup
      .id
    const members = (users: string) => made(self, 'usergroups.users.update', { usergroup, users })
    assert.deepEqual(members(`${user(self)},${user(other)}`), ['subteam_self_added'])
    assert.deepEqual(members(user(other)), ['subteam_self_removed'])
    assert.notEqual(bot, user(self))
  })

  it('carry metadata of messages to the apps whose manifest asks for its kind', () => {
    const bot_events = ['message_metadata_posted', 'message_metadata_updated', 'message_metadata_deleted']
    const subscribed = (event_type: string) =>
      start({
        settings: {
          socket_mode_enabled: true,
          event_subscriptions: { bot_events, metadata_subscriptions: [{ app_id: '*', event_type }] },
        },
      })
    const { ask } = subscribed('task_created')
    const metadata = (id: string) => ({ event_type: 'task_created', event_payload: { id } })
    ask('bot', 'conversations.join', { channel: pumps })
    const post = { channel: pumps, text: 'A task', metadata: metadata('T-1') }
    const posted = ask('bot', 'chat.postMessage', post)
    const { ts } = posted.body
    assert.deepEqual(
      posted.events.map((event) => [event.type, event.metadata, event.message_ts]),
      [['message_metadata_posted', metadata('T-1'), ts]],
    )
    const [updated] = ask('bot', 'chat.update', { ...post, ts, metadata: metadata('T-2') }).events
    assert.deepEqual([updated?.previous_metadata, updated?.metadata], [metadata('T-1'), metadata('T-2')])
    assert.deepEqual(typesOf(ask('bot', 'chat.delete', { channel: pumps, ts }).events), [
      'message_metadata_deleted',
    ])
    assert.deepEqual(subscribed('task_closed').ask('bot', 'chat.postMessage', post).events, [])
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
