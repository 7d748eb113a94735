import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conforms } from '@diorama/twin-kit/conformance'
import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { coverage } from './coverage.ts'
import { catalogue } from './methods/catalogue.ts'
import { operations } from './operations/index.ts'
import { testSection } from './testing/section.ts'
import { chat } from './twin.ts'

const seed = seedFor(chat, testSection)
const keyed = (key: string): string => seed.seed.keys.find((one) => one.key === key)?.id ?? ''
const pumps = keyed('pumps')
const late = keyed('late').split(':')[1] ?? ''
const dev = [...(new Instance({ seed, principals: [] }).tables.user?.find('subject', 'dev') ?? [])][0]?.id

const call = (
  method: string,
  credential: string | undefined,
  args: Record<string, unknown> = {},
): TwinRequest => ({
  method: 'POST',
  path: `/api/${method}`,
  query: '',
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    ...(credential && { authorization: `Bearer ${credential}` }),
  },
  body: Buffer.from(
    new URLSearchParams(
      Object.fromEntries(
        Object.entries(args).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
    ).toString(),
  ),
  baseUrl: 'http://twin.example',
})

/** One value for each argument, so that every method can be reached. */
const plausible: Record<string, unknown> = {
  channel: pumps,
  channel_id: pumps,
  ts: late,
  timestamp: late,
  message_ts: late,
  user: dev,
  users: dev,
  user_id: dev,
  text: 'Hello',
  title: 'A title',
  query: 'pumps',
  name: 'tada',
  email: 'dev@northwind.example',
  filename: 'a.txt',
  length: '5',
  post_at: String(testCompany.clock / 1_000 + 600),
  link: 'https://example.com',
  type: 'link',
}

conforms(chat, {
  section: testSection,
  company: testCompany,
  request: (operation, credential) =>
    operation in catalogue ? call(operation, credential, plausible) : undefined,
  refuses: (status, body) => status === 200 && JSON.parse(body).error === 'not_authed',
  open: ['api.test', 'blocks.validate', 'oauth.v2.access', 'oauth.v2.exchange', 'openid.connect.token'],
  controls: [
    [
      'writeSettings',
      {
        manifest: {
          settings: {
            socket_mode_enabled: true,
            event_subscriptions: { bot_events: ['message.channels', 'reaction_added'] },
          },
        },
      },
    ],
  ],
  script: (credential) => [
    call('chat.postMessage', credential, { channel: pumps, text: 'one' }),
    call('chat.postMessage', credential, { channel: pumps, text: 'two', thread_ts: late }),
    call('reactions.add', credential, { channel: pumps, timestamp: late, name: `tada` }),
    call('chat.scheduleMessage', credential, {
      channel: pumps,
      text: 'soon',
      post_at: String(testCompany.clock / 1_000 + 5),
    }),
    call('conversations.setTopic', credential, { channel: pumps, topic: 'New topic' }),
    call('reactions.remove', credential, { channel: pumps, timestamp: late, name: 'tada' }),
    call('api.test', credential),
    call('api.test', credential),
  ],
})

/** Arguments that clients send and the reference leaves out. */
const unwritten = ['users.info users']

describe('the catalogue', () => {
  it('holds every method of the service, and coverage names each of them', () => {
    assert.equal(Object.keys(catalogue).length, 322)
    const covered = new Set(coverage.map(({ operation }) => operation))
    for (const method of Object.keys(catalogue)) assert.ok(covered.has(method), method)
  })

  it('knows every argument that our methods read', () => {
    for (const [name, operation] of Object.entries(operations)) {
      const facts = catalogue[name]
      if (!facts || !('args' in operation)) continue
      for (const argument of Object.keys(operation.args as object))
        assert.ok(
          argument in facts.args || unwritten.includes(`${name} ${argument}`),
          `${name} reads ${argument}, which the service does not have`,
        )
    }
  })
})

describe('a caller who used the real host', () => {
  it('gets addresses of the real hosts, which lead back to the twin', () => {
    const { instance, token } = startInstance(seed)
    const ask = (method: string, args: Record<string, unknown> = {}): Record<string, unknown> => {
      const request = { ...call(method, token, args), host: 'slack.com', baseUrl: 'https://slack.com' }
      return JSON.parse(String(instance.handle(request, testCompany.clock).step.reply.body))
    }
    assert.equal(ask('auth.test').url, 'https://northwind.slack.com/')
    const { permalink } = ask('chat.getPermalink', { channel: pumps, message_ts: late })
    assert.match(String(permalink), /^https:\/\/northwind\.slack\.com\/archives\//)
    const { upload_url } = ask('files.getUploadURLExternal', { filename: 'a.txt', length: '1' })
    assert.match(String(upload_url), /^https:\/\/files\.slack\.com\/upload\/v1\//)
  })
})

describe('tokens', () => {
  it('have the shapes that clients check, and differ for everyone', () => {
    const { tokens } = startInstance(seed)
    assert.match(tokens.integration ?? '', /^xoxb-\d{12,16}-\d{12,16}-[0-9A-Za-z]{24}$/)
    assert.match(tokens.mira ?? '', /^xoxp-\d{12,16}-\d{12,16}-\d{12,16}-[0-9a-f]{32}$/)
    assert.equal(new Set(Object.values(tokens)).size, Object.keys(tokens).length)
  })
})
