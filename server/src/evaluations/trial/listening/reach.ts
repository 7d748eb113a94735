import type { Duplex } from 'node:stream'
import { ticketBytes } from '@diorama/sandbox/gateway/callers'
import type { Gateway } from '@diorama/sandbox/gateway/gateway'
import type { StoryClock } from '@diorama/sandbox/story/story-clock'
import type { ClientSetting } from '@diorama/twin-kit/kernel/twin'
import type { SocketOwner } from '../../../deliveries/sockets/socket-gateway.ts'
import type { TwinRuntime } from '../../../twins/open.ts'
import type { TwinRow } from '../../../twins/store.ts'
import type { StoryWait } from '../story/story-wait.ts'
import { createSocketHearts, type SocketHearts } from './socket-hearts.ts'

/** What an idle agent waits for where its own deadline is not all of it; true when the rule has done the waiting. */
export type IdleRule = (ms: number, signal: AbortSignal) => Promise<boolean>

/** The way into an agent that waits to be called. */
export interface Reach {
  /** A connection to a port of the agent. Until it is closed, the story stands still. */
  readonly call: (port: number, dial: ((ticket: string) => void) | undefined) => Promise<Duplex>
  /** Holds the story still until the function that it gives is called. */
  readonly hold: () => () => void
  /** Puts settings of a service in place; what was wrong with them, where they were refused. */
  readonly configure: (service: string, input: unknown) => Promise<string | undefined>
  /** Whether the agent has opened a socket to one of the services. */
  readonly hasSocket: () => boolean
  /** How long a step of the story may be that does not make the agent believe that a socket of it is dead. */
  readonly maxStepMs: () => number
  /** Changes whenever a service has durably written something. */
  readonly written: () => string
  /** Puts the rule of an idle agent in force. */
  readonly rule: (rule: IdleRule) => void
}

export interface ReachParts {
  readonly gateway: Pick<Gateway, 'call'>
  readonly story: StoryWait | undefined
  readonly storyClock: StoryClock | undefined
  readonly runtime: TwinRuntime
  readonly settings: readonly { readonly row: TwinRow; readonly setting: ClientSetting }[]
  readonly called: Called
  readonly random: (bytes: number) => Uint8Array
}

/** What is known of an agent that waits to be called. */
export interface Called {
  /** The rule of an idle agent, where one is in force. */
  readonly rule: () => IdleRule | undefined
  readonly setRule: (rule: IdleRule) => void
  readonly hasSocket: () => boolean
  /** To be called when the agent opens a socket. */
  readonly opened: (story: StoryWait | undefined, clock: StoryClock | undefined) => OpenedSocket
  readonly hearts: Pick<SocketHearts, 'beat' | 'maxStepMs'>
}

export interface OpenedSocket {
  /** To be called whenever bytes come from the agent. */
  readonly spoke: () => void
  /** Where its programs live in the story's time, which the socket's heartbeat then follows. */
  readonly owner?: SocketOwner
}

export const createCalled = (): Called => {
  let inForce: IdleRule | undefined
  let hasSocket = false
  const hearts = createSocketHearts()
  return {
    hearts,
    rule: () => inForce,
    setRule: (rule) => {
      inForce = rule
    },
    hasSocket: () => hasSocket,
    opened: (story, clock) => {
      hasSocket = true
      if (!clock || !story) return { spoke: () => undefined }
      const heard = () => story.begin()()
      return { spoke: () => clock.touch(), owner: { opened: hearts.add, heard, now: story.now } }
    },
  }
}

export const createReach = (parts: ReachParts): Reach => {
  const { gateway, story, storyClock, runtime, settings, called, random } = parts
  const hold = () => {
    storyClock?.begin()
    const end = story?.begin()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      storyClock?.end()
      end?.()
    }
  }
  return {
    hold,
    hasSocket: called.hasSocket,
    maxStepMs: called.hearts.maxStepMs,
    written: () => settings.map(({ row }) => runtime.host.here(row.id)?.writes).join(),
    rule: called.setRule,
    call: async (port, dial) => {
      const release = hold()
      try {
        const ticket = Buffer.from(random(ticketBytes)).toString('hex')
        const connection = await gateway.call(port, dial && { ticket, dial })
        connection.once('close', release)
        return connection
      } catch (error) {
        release()
        throw error
      }
    },
    configure: async (service, input) => {
      const found = settings.find(({ row }) => row.service === service)
      if (!found) return `this world has no ${service}`
      const placed = await runtime.host.find(found.row.id)
      if (placed.at !== 'here') throw new Error(`the twin ${found.row.id} of a trial is not here`)
      if (!placed.twin.model.controls?.writeSettings) return `${service} has no settings`
      const order = { name: 'writeSettings', input, baseUrl: found.setting.baseUrl }
      const { refusal } = await runtime.host.control(placed.twin, order)
      return refusal && [refusal.message, ...refusal.details.map(detailText)].join(' ')
    },
  }
}

const detailText = ({ pointer, message }: { readonly pointer: string; readonly message: string }): string =>
  `${pointer}: ${message}.`
