import { request as httpRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { exchange } from './http-transport.ts'
import type { Transport } from './transport.ts'

/** The way into one trial's agent. */
export interface Ingress {
  /** The name by which the agent is known in its world; deliveries to any other are refused. */
  readonly name: string
  /** A connection to the port on which the agent listens. */
  readonly connect: () => Promise<Duplex>
  /** The time by the agent's own clock, which it holds the times of signatures against. */
  readonly now: () => number
}

/** Deliveries in trials reach the trial's own agent and nothing else. */
export interface Ingresses extends Transport {
  /** Opens the way in, for as long as the trial runs; returns how it is closed. */
  readonly open: (trialId: string, ingress: Ingress) => () => void
  /** The time by the clock of a trial's agent; undefined for one that does not listen. */
  readonly timeOf: (trialId: string | null) => number | undefined
}

export const createIngresses = (): Ingresses => {
  const open = new Map<string, Ingress>()
  return {
    open: (trialId, ingress) => {
      open.set(trialId, ingress)
      return () => {
        if (open.get(trialId) === ingress) open.delete(trialId)
      }
    },
    timeOf: (trialId) => open.get(trialId ?? '')?.now(),
    send: async ({ twin, emission, channel, request }) => {
      const ingress = open.get(twin.row.trial_id ?? '')
      if (!ingress)
        return { fault: 'no_receiver', message: 'The agent of this trial does not listen (run.listen).' }
      const url = URL.parse(emission.url ?? '')
      if (url?.hostname !== ingress.name)
        return { fault: 'refused', message: `Not sent: in a trial only ${ingress.name} can be called.` }
      const connection = await ingress.connect().catch((error: Error) => error)
      if (connection instanceof Error) return { fault: 'connection', message: connection.message }
      const outgoing = httpRequest({
        createConnection: () => connection,
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: {
          ...request.headers,
          host: url.host,
          connection: 'close',
          'content-length': Buffer.byteLength(request.body),
        },
      })
      return exchange(outgoing, { body: request.body, timeoutMs: channel.timeoutMs })
    },
  }
}
