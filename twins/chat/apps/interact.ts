import type { Actor, Views } from '@diorama/twin-kit/kernel/twin'
import { operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { botOf, knownMessage, selfOf, teamOf, visibleChannel } from '../access.ts'
import { openDirect } from '../operations/conversations/direct.ts'
import { stackOf, viewShape } from '../operations/people/views.ts'
import { messageShape } from '../shapes/message.ts'
import type { AppRow } from '../tables/apps.ts'
import type { Chat, ChatTables } from '../tables.ts'
import { tsOf } from '../values/time.ts'
import { appOf } from './app.ts'
import { openedView, placeName, requireFilled, responseUrlsOf, usedIn } from './containers.ts'
import { credentialsOf } from './credentials.ts'
import { forgetState } from './element-state.ts'
import { isExternal, usedElement } from './elements.ts'
import { emitEvent, eventView } from './events.ts'
import { newResponseUrl } from './response-urls.ts'

const as = z.string().max(100).meta({ description: 'Who does it: a handle, or a native id.' })
const text = (max = 3_000) => z.string().max(max)
const choice = z
  .union([text(), z.array(text()).max(100)])
  .nullable()
  .optional()
const place = { channel: text(100), ts: text(40) }
const inBlocks = { action_id: text(255), block_id: text(255).optional() }

/** What a person can do to an app on the service's own screens. */
const Interaction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('block_actions'),
    as,
    ...inBlocks,
    value: choice,
    values: z
      .record(text(255), choice)
      .default({})
      .meta({ description: 'What is filled in elsewhere in the message or view, by action id.' }),
    channel: text(100).optional(),
    ts: text(40).optional(),
    view_id: text(100).optional(),
  }),
  z.strictObject({
    type: z.literal('block_suggestion'),
    as,
    ...inBlocks,
    value: text(),
    channel: text(100).optional(),
    ts: text(40).optional(),
    view_id: text(100).optional(),
  }),
  z.strictObject({
    type: z.literal('view_submission'),
    as,
    view_id: text(100),
    values: z.record(text(255), choice).default({}),
  }),
  z.strictObject({
    type: z.literal('view_closed'),
    as,
    view_id: text(100),
    is_cleared: z.boolean().default(false),
  }),
  z.strictObject({ type: z.literal('shortcut'), as, callback_id: text(255) }),
  z.strictObject({ type: z.literal('message_action'), as, callback_id: text(255), ...place }),
  z.strictObject({
    type: z.literal('slash_command'),
    as,
    command: text(40),
    text: text(4_000).default(''),
    channel: text(100),
  }),
  z.strictObject({ type: z.literal('app_home_opened'), as }),
  z.strictObject({ type: z.literal('assistant_thread_started'), as, channel: text(100).optional() }),
])
type Interaction = z.infer<typeof Interaction>
type Of<K extends Interaction['type']> = Extract<Interaction, { type: K }>

const triggerMs = 3_000

/** A trigger lets the app open one view, within three seconds. */
const newTrigger = (call: Chat, user: string, view_id?: string): string => {
  const hex = call.draw('trigger')
  const digits = (from: number) => String(BigInt(`0x${hex.slice(from, from + 11)}`))
  const id = `${digits(0)}.${digits(11)}.${hex.slice(32)}`
  call.tables.trigger.insert({
    id,
    user,
    expires: call.now + triggerMs,
    is_used: false,
    ...(view_id !== undefined && { view_id }),
  })
  return id
}

const requireApp = (call: Chat): AppRow => {
  const app = appOf(call)
  if (app) return app
  throw new VendorError('no_app', 'the app is not configured: send its manifest to the settings first')
}

interface Sending {
  readonly kind: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly channel: 'interactive' | 'options' | 'commands'
  readonly url: string | undefined
}

/** Sends to the app's own address, or on its socket. */
const send = (call: Chat, app: AppRow, { kind, payload, channel, url }: Sending): void => {
  const isSocket = app.manifest.settings.socket_mode_enabled
  if (!isSocket && url === undefined)
    throw new VendorError('no_url', `the app's manifest has no address for ${kind}`)
  call.emit({
    id: `In${call.draw('interaction').slice(0, 12)}`,
    channel: isSocket ? `socket_${channel}` : channel,
    kind,
    receiver: app.id,
    url: isSocket ? null : (url ?? ''),
    payload: JSON.parse(JSON.stringify(payload)),
    secret: credentialsOf(app.id, call.principals, app.signing_secret).signing_secret,
  })
}

const interactive = (call: Chat, app: AppRow, kind: string, payload: object): void => {
  const { interactivity, socket_mode_enabled } = app.manifest.settings
  if (!interactivity.is_enabled && !socket_mode_enabled)
    throw new VendorError('not_interactive', "interactivity is not enabled in the app's manifest")
  const isOptions = kind === 'block_suggestion'
  send(call, app, {
    kind,
    channel: isOptions ? 'options' : 'interactive',
    url: isOptions
      ? (interactivity.message_menu_options_url ?? interactivity.request_url)
      : interactivity.request_url,
    payload: { type: kind, ...common(call, app), ...payload },
  })
}

const common = (call: Chat, app: AppRow) => {
  const team = teamOf(call)
  const user = call.tables.user.get(selfOf(call))
  return {
    token: credentialsOf(app.id, call.principals, app.signing_secret).verification_token,
    api_app_id: app.id,
    team: { id: team.id, domain: team.domain },
    user: { id: user?.id, username: user?.name, name: user?.name, team_id: team.id },
    enterprise: null,
    is_enterprise_install: false,
    action_ts: tsOf(call.now * 1_000),
  }
}

const pressed = (call: Chat, app: AppRow, input: Of<'block_actions'>) => {
  const { shown, state, placed } = usedIn(call, app, input)
  state.fill(input.values)
  state.fill({ [input.action_id]: input.value }, placed.block_id)
  const used = usedElement(state.loaded(placed), input.value)
  const trigger_id = newTrigger(call, selfOf(call), input.view_id)
  const action = {
    ...used,
    action_id: input.action_id,
    block_id: placed.block_id,
    action_ts: tsOf(call.now * 1_000),
  }
  interactive(call, app, 'block_actions', {
    ...shown(),
    trigger_id,
    ...(input.view_id === undefined && { state: { values: state.values() } }),
    actions: [action],
  })
  return { trigger_id }
}

const suggested = (call: Chat, app: AppRow, input: Of<'block_suggestion'>) => {
  const { shown, placed } = usedIn(call, app, input)
  if (!isExternal(placed.element))
    throw new VendorError('no_element', `the options of ${input.action_id} are not loaded from the app`, {
      data: { pointer: '/action_id' },
    })
  interactive(call, app, 'block_suggestion', {
    ...shown(),
    action_id: input.action_id,
    block_id: placed.block_id,
    value: input.value,
  })
  return {}
}

const submitted = (call: Chat, app: AppRow, { view_id, values }: Of<'view_submission'>) => {
  const { view, state, blocks } = openedView(call, app, view_id)
  state.fill(values)
  const filled = state.values()
  requireFilled(blocks, filled)
  const trigger_id = newTrigger(call, selfOf(call), view_id)
  interactive(call, app, 'view_submission', {
    trigger_id,
    view: { ...view, state: { values: filled } },
    response_urls: responseUrlsOf(call, blocks, filled),
  })
  return { trigger_id }
}

/** Apps hear of it only where the view asks for that. */
const closed = (call: Chat, app: AppRow, input: Of<'view_closed'>) => {
  const { view, row, state } = openedView(call, app, input.view_id)
  const is_cleared = input.is_cleared || view.clear_on_close === true
  const shown = { ...view, state: { values: state.values() } }
  for (const one of is_cleared ? stackOf(call, row) : [row]) {
    call.tables.view.delete(one.id)
    forgetState(call, one.user, one.id)
  }
  if (view.notify_on_close === true) interactive(call, app, 'view_closed', { view: shown, is_cleared })
  return {}
}

const requireShortcut = (app: AppRow, type: 'global' | 'message', callback_id: string): void => {
  const known = app.manifest.features.shortcuts.some(
    (one) => one.type === type && one.callback_id === callback_id,
  )
  // An app that nobody has configured declares nothing; it is let try everything.
  if (known || app.manifest.features.shortcuts.length === 0) return
  throw new VendorError('no_shortcut', `the app's manifest has no ${type} shortcut ${callback_id}`, {
    data: { pointer: '/callback_id' },
  })
}

const shortcut = (call: Chat, app: AppRow, { callback_id }: Of<'shortcut'>) => {
  requireShortcut(app, 'global', callback_id)
  const trigger_id = newTrigger(call, selfOf(call))
  interactive(call, app, 'shortcut', { callback_id, trigger_id })
  return { trigger_id }
}

const messageAction = (call: Chat, app: AppRow, input: Of<'message_action'>) => {
  requireShortcut(app, 'message', input.callback_id)
  const channel = visibleChannel(call, input.channel)
  const row = knownMessage(call, channel, input.ts)
  const trigger_id = newTrigger(call, selfOf(call))
  interactive(call, app, 'message_action', {
    callback_id: input.callback_id,
    trigger_id,
    message_ts: input.ts,
    channel: { id: channel.id, name: placeName(channel) },
    message: messageShape(eventView(call, app), row),
    response_url: newResponseUrl(call, {
      channel: channel.id,
      user: selfOf(call),
      ts: input.ts,
      is_ephemeral: false,
    }),
  })
  return { trigger_id }
}

const command = (call: Chat, app: AppRow, input: Of<'slash_command'>) => {
  const known = app.manifest.features.slash_commands.find((one) => one.command === input.command)
  if (!known && app.manifest.features.slash_commands.length > 0)
    throw new VendorError('no_command', `the app's manifest has no command ${input.command}`, {
      data: { pointer: '/command' },
    })
  const channel = visibleChannel(call, input.channel)
  const team = teamOf(call)
  const user = call.tables.user.get(selfOf(call))
  const trigger_id = newTrigger(call, selfOf(call))
  send(call, app, {
    kind: input.command,
    channel: 'commands',
    url: known?.url,
    payload: {
      token: credentialsOf(app.id, call.principals, app.signing_secret).verification_token,
      team_id: team.id,
      team_domain: team.domain,
      channel_id: channel.id,
      channel_name: placeName(channel),
      user_id: user?.id ?? '',
      user_name: user?.name ?? '',
      command: input.command,
      text: input.text,
      api_app_id: app.id,
      is_enterprise_install: 'false',
      response_url: newResponseUrl(call, {
        channel: channel.id,
        user: selfOf(call),
        ts: '',
        is_ephemeral: true,
      }),
      trigger_id,
    },
  })
  return { trigger_id }
}

/** Opening the app's home starts a direct message with it. */
const homeOpened = (call: Chat, app: AppRow) => {
  const { channel } = openDirect(call, [botOf(call).user_id])
  const home = call.tables.view.first('home', selfOf(call))
  const event_ts = tsOf(call.now * 1_000)
  const view = home && viewShape(eventView(call, app) as never, home)
  emitEvent(call, {
    name: 'app_home_opened',
    event: {
      type: 'app_home_opened',
      user: selfOf(call),
      channel: channel.id,
      event_ts,
      tab: 'home',
      ...(view && { view }),
    },
  })
  return { channel: channel.id }
}

const assistantStarted = (call: Chat, input: Of<'assistant_thread_started'>) => {
  const { channel } = openDirect(call, [botOf(call).user_id])
  const seen = input.channel === undefined ? undefined : visibleChannel(call, input.channel)
  const thread_ts = tsOf(call.now * 1_000 + call.sequence('assistant thread'))
  emitEvent(call, {
    name: 'assistant_thread_started',
    event: {
      type: 'assistant_thread_started',
      assistant_thread: {
        user_id: selfOf(call),
        context: seen ? { channel_id: seen.id, team_id: teamOf(call).id, enterprise_id: null } : {},
        channel_id: channel.id,
        thread_ts,
      },
      event_ts: thread_ts,
    },
  })
  return { channel: channel.id, thread_ts }
}

const acted = (call: Chat, input: Interaction): Record<string, unknown> => {
  if (!call.actor)
    throw new VendorError('no_user', `${input.as} is not a person of this workspace`, {
      data: { pointer: '/as' },
    })
  const app = requireApp(call)
  switch (input.type) {
    case 'block_actions':
      return pressed(call, app, input)
    case 'block_suggestion':
      return suggested(call, app, input)
    case 'view_submission':
      return submitted(call, app, input)
    case 'view_closed':
      return closed(call, app, input)
    case 'shortcut':
      return shortcut(call, app, input)
    case 'message_action':
      return messageAction(call, app, input)
    case 'slash_command':
      return command(call, app, input)
    case 'app_home_opened':
      return homeOpened(call, app)
    case 'assistant_thread_started':
      return assistantStarted(call, input)
  }
}

export const interact = {
  ...operation<ChatTables, Interaction>({ effect: 'write', input: Interaction, run: acted }),
  actor: (input: unknown, views: Views<ChatTables>): Actor | undefined => {
    const { as: who } = input as Interaction
    const user = views.user.first('subject', who) ?? views.user.get(who)
    return user && !user.is_bot && user.subject !== ''
      ? { id: user.id, name: user.name, subject: user.subject }
      : undefined
  },
}
