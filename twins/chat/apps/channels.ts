import { createHmac } from 'node:crypto'
import type {
  Attempt,
  DeliveryAnswer,
  DeliveryChannel,
  DeliveryFault,
  DeliveryRequest,
  Emission,
} from '@diorama/twin-kit/kernel/deliveries'
import type { Chat } from '../tables.ts'
import { nativeJson } from '../wire/native.ts'
import { commandSettled, interactionSettled } from './answers.ts'
import { isChallengeAnswered } from './challenge.ts'
import { optionsSettled } from './element-state.ts'
import { envelopeOf } from './socket-mode.ts'

type ChatChannel = DeliveryChannel<Chat>

/** How long an app may take for anything it is sent. */
const timeoutMs = 3_000
/** Nearly at once, after a minute, after five. */
const eventRetries = [0, 60_000, 300_000]

/** A request with the signature that apps check: over its own time, which has to be close to theirs. */
const signed = (
  body: string,
  type: string,
  { secret = '' }: Emission,
  { number, at, after }: Attempt,
): DeliveryRequest => {
  const timestamp = String(Math.floor(at / 1_000))
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    method: 'POST',
    headers: {
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      accept: '*/*',
      'content-type': type,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
      ...(number > 1 && {
        'x-slack-retry-num': String(number - 1),
        'x-slack-retry-reason': after ? retryReasons[after] : 'unknown_error',
      }),
    },
    body,
  }
}

const retryReasons: Readonly<Record<DeliveryFault, string>> = {
  timeout: 'http_timeout',
  connection: 'connection_failed',
  tls: 'ssl_error',
  status: 'http_error',
  refused: 'connection_failed',
  no_receiver: 'connection_failed',
  closed: 'connection_failed',
}

const isAccepted = ({ status }: DeliveryAnswer): boolean => status >= 200 && status < 300

const signedJson: ChatChannel['request'] = (emission, attempt) =>
  signed(nativeJson(emission.payload), 'application/json', emission, attempt)

const form = 'application/x-www-form-urlencoded'
const signedPayload: ChatChannel['request'] = (emission, attempt) =>
  signed(
    new URLSearchParams({ payload: JSON.stringify(emission.payload) }).toString(),
    form,
    emission,
    attempt,
  )
const signedForm: ChatChannel['request'] = (emission, attempt) =>
  signed(new URLSearchParams(emission.payload as Record<string, string>).toString(), form, emission, attempt)

/** What people do is sent once: they see that it failed, and try again. */
const once = {
  timeoutMs,
  retryAfterMs: [],
  judge: (answer: DeliveryAnswer) => (isAccepted(answer) ? ('delivered' as const) : ('failed' as const)),
}
const interactionChannels: Readonly<Record<string, ChatChannel>> = {
  interactive: {
    ...once,
    transport: 'http',
    request: signedPayload,
    settles: 'always',
    settled: interactionSettled,
  },
  options: { ...once, transport: 'http', request: signedPayload, settles: 'always', settled: optionsSettled },
  commands: { ...once, transport: 'http', request: signedForm, settles: 'always', settled: commandSettled },
  socket_interactive: {
    ...once,
    transport: 'socket',
    request: (emission, attempt) => envelopeOf(emission, attempt, 'interactive'),
    settles: 'always',
    settled: interactionSettled,
  },
  socket_options: {
    ...once,
    transport: 'socket',
    request: (emission, attempt) => envelopeOf(emission, attempt, 'interactive'),
    settles: 'always',
    settled: optionsSettled,
  },
  socket_commands: {
    ...once,
    transport: 'socket',
    request: (emission, attempt) => envelopeOf(emission, attempt, 'slash_commands'),
    settles: 'always',
    settled: commandSettled,
  },
}

/** The rules of what the service sends to apps. */
export const channels: Readonly<Record<string, ChatChannel>> = {
  url_verification: {
    transport: 'http',
    timeoutMs,
    retryAfterMs: [],
    request: signedJson,
    judge: (answer, emission) => (isChallengeAnswered(answer, emission) ? 'delivered' : 'failed'),
    settles: 'always',
    settled: (call, emission, { outcome }) => {
      const app = call.tables.app.get(emission.receiver)
      // A later change of the address has its own challenge.
      if (!app || app.challenge !== emission.payload.challenge) return
      call.tables.app.update(app.id, { challenge: '', is_verified: outcome === 'delivered' })
    },
  },
  events: {
    transport: 'http',
    timeoutMs,
    retryAfterMs: eventRetries,
    request: signedJson,
    judge: (answer) =>
      isAccepted(answer) ? 'delivered' : answer.headers['x-slack-no-retry'] === '1' ? 'failed' : 'retry',
  },
  socket_events: {
    transport: 'socket',
    timeoutMs,
    retryAfterMs: eventRetries,
    request: (emission, attempt) => envelopeOf(emission, attempt, 'events_api'),
  },
  ...interactionChannels,
}
