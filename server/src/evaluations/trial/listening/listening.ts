import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { agentHost } from '@diorama/contract'
import { NotReached } from '@diorama/sandbox/gateway/callers'
import type { RunningJob } from '@diorama/sandbox/sandbox'
import type { ListeningParts } from './listening-parts.ts'
import { createQuiet, type Quiet } from './quiet.ts'

const usualPort = 3_000
const pollMs = 25

/**
 * An agent that waits to be called. The story begins when it listens; the services of its world call it at its stable
 * name, and nobody else can. It is ended when nothing is due any more and it has nothing left to do.
 */
export interface Listening {
  readonly env: Readonly<Record<string, string>>
  readonly onRunning: (running: RunningJob) => void
  /** To be called when the agent is gone: why it failed, if it did. Rejects with what failed on our side. */
  readonly end: () => Promise<string | undefined>
}

export const openListening = async (parts: ListeningParts): Promise<Listening> => {
  const { listen, isNamespaced } = parts
  const port = listen.port ?? (isNamespaced ? usualPort : await freePort())
  const over = new AbortController()
  let serving: Promise<string | undefined> | undefined
  return {
    env: { PORT: String(port), SVC_AGENT_URL: `https://${agentHost}` },
    onRunning: (running) => {
      serving = serve(parts, { port, running, over: over.signal })
      serving.catch(() => running.finish())
    },
    end: async () => {
      over.abort()
      return serving
    },
  }
}

interface Serving {
  readonly port: number
  readonly running: RunningJob
  readonly over: AbortSignal
}

/** From the start of the agent to its end; what it did wrong, if anything. */
const serve = async (parts: ListeningParts, serving: Serving): Promise<string | undefined> => {
  const { world, deliveries, trialId } = parts
  const { port, running, over } = serving
  const release = world.reach.hold()
  const dial = parts.isNamespaced ? (ticket: string) => running.dial(ticket, port) : undefined
  const connect = () => world.reach.call(port, dial)
  let close: (() => void) | undefined
  try {
    const fault = await untilListening(parts, { ...serving, connect })
    if (fault === undefined && !over.aborted) {
      close = deliveries.ingresses.open(trialId, { name: agentHost, connect, now: clockOf(parts) })
      const refused = await configure(parts, over)
      if (refused === undefined) {
        const quiet = createQuiet(parts)
        world.reach.rule(quiet.rule)
        release()
        await untilQuiet(quiet, parts, over)
      }
      running.finish()
      return refused
    }
    running.finish()
    return fault
  } finally {
    release()
    await aborted(over)
    close?.()
  }
}

/** What the agent's own clock shows. */
const clockOf = ({ world: { story }, hasStoryTime, now }: ListeningParts): (() => number) =>
  hasStoryTime && story ? story.now : now

const untilListening = async (
  { listen: { by, ready_seconds }, world: { reach }, now }: ListeningParts,
  { port, over, connect }: Serving & { readonly connect: () => Promise<{ destroy: () => unknown }> },
): Promise<string | undefined> => {
  const deadline = now() + ready_seconds * 1_000
  const isReady = by === 'socket' ? async () => reach.hasSocket() : () => isTaken(connect)
  while (!over.aborted && now() < deadline) {
    if (await isReady()) return undefined
    await delay(pollMs)
  }
  if (over.aborted) return undefined
  const missing = by === 'socket' ? 'open a socket' : `listen on port ${port}`
  return `The agent did not ${missing} within ${ready_seconds} seconds (run.listen).`
}

const isTaken = async (connect: () => Promise<{ destroy: () => unknown }>): Promise<boolean> => {
  try {
    const connection = await connect()
    connection.destroy()
    return true
  } catch (error) {
    if (error instanceof NotReached) return false
    throw error
  }
}

/** Puts the settings in place, and waits until what they made the services send has arrived. */
const configure = async (
  { listen, world, deliveries }: ListeningParts,
  over: AbortSignal,
): Promise<string | undefined> => {
  for (const [service, input] of Object.entries(listen.settings)) {
    const refusal = await world.reach.configure(service, input)
    if (refusal !== undefined) return `The settings of ${service} in run.listen were refused: ${refusal}`
  }
  const ids = world.twins.map(({ id }) => id)
  while (!over.aborted && (await deliveries.pendingWork(ids)).count > 0) await delay(pollMs)
  return undefined
}

/** With story time the launcher says when the agent is idle; without it, we look ourselves. */
const untilQuiet = async (quiet: Quiet, { hasStoryTime }: ListeningParts, over: AbortSignal) => {
  while (!over.aborted && !quiet.isOver()) {
    await delay(pollMs)
    if (!hasStoryTime) await quiet.look()
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Where the agent shares our network, two of them must not meet on one port. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : usualPort
      server.close(() => resolve(port))
    })
  })
