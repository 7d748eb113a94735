import type { ChaosNode } from '../machines/nodes.ts'
import type { Random } from '../random.ts'

/** Calls of the API through any node, repeated until one succeeds. */
export interface Api {
  // biome-ignore lint/suspicious/noExplicitAny: replies of many routes.
  readonly call: (method: string, path: string, body?: unknown) => Promise<any>
  /** Replies that neither succeeded nor said when to come back. */
  readonly odd: readonly string[]
}

const timeoutMs = 20_000
/** The records of a trial are written shortly after its end. */
const writtenLater = /^\/v1\/(traces|agents\/runs)\//
const retryMs = 250
const maxAttempts = 400

export const openApi = (deps: {
  readonly nodes: readonly ChaosNode[]
  readonly key: string
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
}): Api => {
  const { nodes, key, random, sleep } = deps
  const odd: string[] = []
  let calls = 0
  return {
    odd,
    call: async (method, path, body) => {
      // With the same key a repeated call is the same call.
      const idempotencyKey = `chaos-${++calls}-${random.between(0, 1e9)}`
      let last: unknown
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const node = random.pick(nodes)
        try {
          const reply = await fetch(`${node.baseUrl}${path}`, {
            method,
            headers: {
              authorization: `Bearer ${key}`,
              ...(body === undefined
                ? {}
                : { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            signal: AbortSignal.timeout(timeoutMs),
          })
          const text = await reply.text()
          if (reply.ok) return text.startsWith('{') ? JSON.parse(text) : text
          last = new Error(`${method} ${path}: ${node.machine.name} answered ${reply.status} ${text}`)
          const isLate = reply.status === 404 && writtenLater.test(path)
          if (!isLate && reply.headers.get('retry-after') === null) odd.push(String(last).slice(0, 400))
        } catch (error) {
          last = error
        }
        await sleep(retryMs)
      }
      throw new Error(`${method} ${path} did not succeed`, { cause: last })
    },
  }
}
