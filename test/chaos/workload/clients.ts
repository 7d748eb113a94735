import type { ChaosNode } from '../machines/nodes.ts'
import type { Random } from '../random.ts'
import { type History, openHistory } from './history.ts'
import { type Send, services, type TwinAccess, type Writer } from './services.ts'

/** A client that writes to its twin and readers beside it, through any node. */
export interface Client {
  readonly kind: string
  readonly history: History
  /** Replies that neither succeeded nor said when to come back. */
  readonly odd: readonly string[]
  /** Requests that were refused or not answered, and how long no write at all was acknowledged. */
  readonly unanswered: number
  readonly maxGapMs: number
  /** Resolves when a write and a read have succeeded through the given node. */
  readonly reach: (node: ChaosNode) => Promise<boolean>
  readonly stop: () => Promise<void>
  /** Reads everything through a node, and checks it. */
  readonly readAll: (node: ChaosNode) => Promise<void>
}

const requestTimeoutMs = 4_000
/** Before there are faults there is time. */
const prepareTimeoutMs = 60_000
const maxPauseMs = 120

/** A refusal that a client is to repeat later. */
class Refused extends Error {}

export interface ClientDeps {
  readonly kind: string
  readonly twin: TwinAccess
  readonly nodes: readonly ChaosNode[]
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
}

export const openClient = async ({ kind, twin, nodes, random, sleep }: ClientDeps): Promise<Client> => {
  const service = services[kind]
  if (!service) throw new Error(`there is no client for ${kind}`)
  const history = openHistory(`${kind} ${twin.id}`)
  const odd: string[] = []
  const state = { stopped: false, unanswered: 0, maxGapMs: 0, acknowledgedAt: performance.now() }
  const sendTo = (node: ChaosNode) => sender(node, twin, requestTimeoutMs)
  const writer = await service.prepare(sender(random.pick(nodes), twin, prepareTimeoutMs))

  /** A request that was cut off or refused in the agreed way is no fault; any other failure is. */
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      state.unanswered++
      if (!(error instanceof Refused || isCut(error)) && odd.length < 20)
        odd.push(`${kind}: ${String(error)}`)
      return false
    }
  }
  const write = (node: ChaosNode) =>
    attempt(async () => {
      const n = history.begin()
      await writer.write(sendTo(node), n)
      history.acknowledged(n)
      const now = performance.now()
      state.maxGapMs = Math.max(state.maxGapMs, now - state.acknowledgedAt)
      state.acknowledgedAt = now
    })
  const read = (node: ChaosNode) =>
    attempt(async () => {
      const expected = history.expect()
      const { numbers, next } = await writer.read(sendTo(node))
      if (numbers.length > 0 || next === undefined)
        history.seen(expected, numbers, { isWhole: next === undefined })
    })
  const loop = async (work: (node: ChaosNode) => Promise<boolean>, choice: Random) => {
    while (!state.stopped) {
      await work(choice.pick(nodes))
      await sleep(choice.between(0, maxPauseMs))
    }
  }
  const loops = [loop(write, random.split()), loop(read, random.split())]

  return {
    kind,
    history,
    odd,
    get unanswered() {
      return state.unanswered
    },
    get maxGapMs() {
      return state.maxGapMs
    },
    reach: read,
    stop: async () => {
      state.stopped = true
      await Promise.all(loops)
    },
    readAll: async (node) => {
      const expected = history.expect()
      const whole = await allOf(writer, sender(node, twin, prepareTimeoutMs))
      history.seen(expected, whole, { isWhole: true, isLast: true })
    },
  }
}

const allOf = async (writer: Writer, send: Send): Promise<number[]> => {
  let all: number[] = []
  let page: string | undefined
  do {
    const { numbers, next }: { numbers: number[]; next?: string | undefined } = await writer.read(send, page)
    all = [...numbers, ...all]
    page = next
  } while (page !== undefined)
  return all
}

const sender =
  (node: ChaosNode, twin: TwinAccess, timeoutMs: number): Send =>
  async ({ method = 'GET', path, headers = {}, body }) => {
    const reply = await fetch(`${node.baseUrl}/t/${twin.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${twin.token}`, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await reply.text()
    if ((reply.status === 503 || reply.status === 429) && reply.headers.get('retry-after') !== null)
      throw new Refused(text)
    if (!reply.ok)
      throw new Error(`${node.machine.name} answered ${method} with ${reply.status}: ${text.slice(0, 300)}`)
    return { json: text === '' ? undefined : JSON.parse(text), headers: reply.headers }
  }

/** Whether the connection failed, or the reply did not come in time. */
const isCut = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TimeoutError' ||
    error.name === 'AbortError' ||
    ['fetch failed', 'terminated'].includes(error.message))
