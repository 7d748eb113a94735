import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Emission } from '@diorama/twin-kit/kernel/deliveries'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { testSection } from '../testing/section.ts'
import { chat } from '../twin.ts'

const seed = seedFor(chat, testSection)
const pumps = seed.seed.keys.find(({ key }) => key === 'pumps')?.id ?? ''

// biome-ignore lint/suspicious/noExplicitAny: payloads of every kind of interaction.
type Payload = any

/** A workspace whose app is called on a socket, with people who use its elements. */
const start = () => {
  const { instance, token } = startInstance(seed)
  const baseUrl = 'http://twin.example'
  let now = testCompany.clock
  const place = () => ({ at: now, baseUrl })
  instance.control('writeSettings', { manifest: { settings: { socket_mode_enabled: true } } }, place())
  const ask = (method: string, args: object) => {
    const request = {
      method: 'POST',
      path: `/api/${method}`,
      query: '',
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
      body: Buffer.from(JSON.stringify(args)),
      baseUrl,
    }
    return JSON.parse(String(instance.handle(request, now).step.reply.body))
  }
  const act = (input: object): { emission: Emission; payload: Payload } => {
    now += 10
    const { step } = instance.control('interact', { as: 'mira', ...input }, place())
    const [emission] = step?.emissions ?? []
    return { emission: emission as Emission, payload: emission?.payload }
  }
  const answer = (emission: Emission, said: object) =>
    instance.settle(
      emission,
      { outcome: 'delivered', attempts: 1, answer: { status: 200, headers: {}, body: JSON.stringify(said) } },
      now,
    )
  const wait = (ms: number) => {
    now += ms
  }
  return { ask, act, answer, wait, instance }
}

const text = (said: string) => ({ type: 'plain_text' as const, text: said })
const option = (value: string) => ({ text: text(value.toUpperCase()), value })
const blocks = [
  {
    type: 'actions',
    block_id: 'choice',
    elements: [
      { type: 'static_select', action_id: 'size', options: [option('small'), option('large')] },
      { type: 'external_select', action_id: 'part', min_query_length: 0 },
      { type: 'button', action_id: 'go', text: text('Go') },
    ],
  },
]

const modal = (more: object = {}) => ({
  type: 'modal',
  title: text('Report'),
  submit: text('Send'),
  close: text('Cancel'),
  blocks: [
    {
      type: 'input',
      block_id: 'where',
      label: text('Where?'),
      element: { type: 'conversations_select', action_id: 'room', response_url_enabled: true },
    },
    {
      type: 'input',
      block_id: 'note',
      optional: true,
      label: text('Note'),
      element: { type: 'plain_text_input', action_id: 'note' },
    },
  ],
  ...more,
})

describe('what people do to an app', () => {
  it('carries what they have chosen elsewhere in the message', () => {
    const { ask, act } = start()
    const { ts } = ask('chat.postMessage', { channel: pumps, text: 'Choose', blocks })
    const at = { type: 'block_actions', channel: pumps, ts }
    const first = act({ ...at, action_id: 'go' }).payload.state.values.choice
    assert.deepEqual(first.size, { type: 'static_select', selected_option: null })
    assert.equal('go' in first, false, 'a button has no state')
    act({ ...at, action_id: 'size', value: 'large' })
    const { payload } = act({ ...at, action_id: 'go' })
    assert.equal(payload.state.values.choice.size.selected_option.value, 'large')
    const others = act({ ...at, as: 'dev', action_id: 'go' }).payload
    assert.equal(others.state.values.choice.size.selected_option, null, 'each person has their own')
  })

  it('offers the options that the app loads, and no others', () => {
    const { ask, act, answer } = start()
    const { ts } = ask('chat.postMessage', { channel: pumps, text: 'Choose', blocks })
    const at = { channel: pumps, ts, action_id: 'part' }
    assert.throws(() => act({ ...at, type: 'block_suggestion', action_id: 'size', value: '' }), /not loaded/)
    const asked = act({ ...at, type: 'block_suggestion', value: 'val' })
    assert.deepEqual([asked.payload.value, asked.payload.action_id], ['val', 'part'])
    answer(asked.emission, { options: [{ text: text('Valve, brass'), value: 'v1' }] })
    const [action] = act({ ...at, type: 'block_actions', value: 'v1' }).payload.actions
    assert.equal(action.selected_option.text.text, 'Valve, brass')
    assert.throws(() => act({ ...at, type: 'block_actions', value: 'v2' }), /not one of the options/)
  })

  it('opens a view within three seconds, and a trigger is good once', () => {
    const { ask, act, wait } = start()
    const open = (trigger_id: string) => ask('views.open', { trigger_id, view: modal() }).error
    const { trigger_id } = act({ type: 'shortcut', callback_id: 'report' }).payload
    wait(2_990)
    assert.deepEqual([open(trigger_id), open(trigger_id)], [undefined, 'exchanged_trigger_id'])
    const late = act({ type: 'shortcut', callback_id: 'report' }).payload.trigger_id
    wait(3_010)
    assert.equal(open(late), 'expired_trigger_id')
  })

  it('submits a view with its required inputs and an address for the conversation that was chosen', () => {
    const { ask, act } = start()
    const { trigger_id } = act({ type: 'shortcut', callback_id: 'report' }).payload
    const view_id = ask('views.open', { trigger_id, view: modal() }).view.id
    const submit = (values: object) => act({ type: 'view_submission', view_id, values })
    assert.throws(() => submit({ note: 'late' }), /room is required/)
    const { payload } = submit({ room: pumps })
    const [{ response_url, ...where }] = payload.response_urls
    assert.deepEqual(where, { block_id: 'where', action_id: 'room', channel_id: pumps })
    assert.match(response_url, /\/actions\//)
    assert.equal(payload.view.state.values.note.note.value, null)
  })

  it('closes one view, or with it the whole modal, and reports it where the view asks for that', () => {
    const { ask, act, instance } = start()
    const left = () => [...(instance.tables.view?.all() ?? [])].length
    const { trigger_id } = act({ type: 'shortcut', callback_id: 'report' }).payload
    const below = ask('views.open', { trigger_id, view: modal() }).view.id
    const push = (more: object) => {
      const { payload } = act({ type: 'view_submission', view_id: below, values: { room: pumps } })
      return ask('views.push', { trigger_id: payload.trigger_id, view: modal(more) }).view.id
    }
    const quiet = act({ type: 'view_closed', view_id: push({}) })
    assert.deepEqual([quiet.emission, left()], [undefined, 1])
    const view_id = push({ notify_on_close: true, clear_on_close: true })
    const { payload } = act({ type: 'view_closed', view_id })
    assert.deepEqual([payload.type, payload.is_cleared, payload.view.id], ['view_closed', true, view_id])
    assert.equal(left(), 0)
  })
})
