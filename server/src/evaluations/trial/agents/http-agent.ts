import { isRecord } from '@diorama/contract/records'
import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { AgentFailed } from './agent-run.ts'
import { type OutsideCaller, type OutsideReply, objectOf } from './outside-call.ts'

/** A world as described to an outside agent. Addresses and tokens are those of the trial's copy, and end with it. */
export interface WorldDetails {
  readonly services: readonly {
    readonly service: string
    readonly base_url: string | null
    readonly mcp_url: string | null
    readonly token: string
  }[]
}

export interface OutsideTask {
  readonly trial_id: string
  readonly agent: string
  readonly instruction: string
  readonly timeout_seconds: number
  readonly world: WorldDetails
}

export interface OutsideDeps {
  readonly caller: OutsideCaller
  readonly url: string
  readonly task: OutsideTask
  readonly wait: (ms: number) => Promise<void>
}

const pollMs = 500
const maxPollMs = 5_000

/**
 * Posts the task to an agent that runs already. It answers with its output at once, as the last event of a stream, or
 * with 202 and an address at the same origin that is asked until it has one.
 */
export const runHttpAgent = async ({ caller, url, task, wait }: OutsideDeps): Promise<string | undefined> => {
  const reply = await caller.call({ method: 'POST', url, body: task })
  if (reply.status !== 202) return outputOf(reply)
  const location = reply.headers.get('location')
  if (location === null) throw new AgentFailed('The agent answered 202 without a Location to ask at.')
  const place = new URL(location, url)
  if (place.origin !== new URL(url).origin)
    throw new AgentFailed('The agent named a Location at another origin than its own.')
  for (let pause = pollMs; ; pause = Math.min(pause * 1.5, maxPollMs)) {
    await wait(pause)
    const polled = await caller.call({ method: 'GET', url: place.href })
    if (polled.status !== 202) return outputOf(polled)
  }
}

const outputOf = (reply: OutsideReply): string | undefined => {
  const isStream = /text\/event-stream/i.test(reply.headers.get('content-type') ?? '')
  const answer = isStream && reply.status < 300 ? lastEvent(reply.text) : objectOf(reply)
  if (typeof answer.error === 'string')
    throw new AgentFailed(`The agent reported: ${answer.error.slice(0, 500)}`)
  const { output } = answer
  if (output === undefined || output === null) return undefined
  return typeof output === 'string' ? output : JSON.stringify(output)
}

const lastEvent = (text: string): Record<string, unknown> => {
  const last = jsonMessagesIn(text)
    .filter(isRecord)
    .findLast((event) => 'output' in event || 'error' in event)
  if (!last) throw new AgentFailed('The stream of the agent ended without an event that has an output.')
  return last
}
