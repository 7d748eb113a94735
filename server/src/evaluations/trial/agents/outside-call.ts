import { isRecord, jsonIn } from '@diorama/contract/records'
import { AgentFailed } from './agent-run.ts'

const maxReplyBytes = 4 * 1_048_576

export interface OutsideCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface OutsideReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Calls an agent that runs outside the sandbox. */
export interface OutsideCaller {
  call(call: OutsideCall): Promise<OutsideReply>
}

export interface OutsideDeps {
  /** Origins that the operator lets trials call; nothing else is ever reached, so that no agent leads us elsewhere. */
  readonly origins: readonly string[]
  readonly bearer: string | undefined
  readonly signal: AbortSignal
}

export const createOutsideCaller = ({ origins, bearer, signal }: OutsideDeps): OutsideCaller => ({
  call: async ({ method, url, headers = {}, body }) => {
    const { origin } = new URL(url)
    if (!origins.includes(origin))
      throw new AgentFailed(
        `The deployment does not allow agents at ${origin}. An operator allows an origin with DIORAMA_OUTSIDE_AGENTS.`,
      )
    let reply: Response
    try {
      reply = await fetch(url, {
        method,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect could lead to an address that was not allowed.
        redirect: 'manual',
        signal,
      })
    } catch (error) {
      signal.throwIfAborted()
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      throw new AgentFailed(`The agent at ${origin} could not be reached: ${cause}`)
    }
    return { status: reply.status, headers: reply.headers, text: await boundedText(reply) }
  },
})

const boundedText = async (reply: Response): Promise<string> => {
  const pieces: Uint8Array[] = []
  let held = 0
  if (reply.body)
    for await (const piece of reply.body) {
      pieces.push(piece)
      held += piece.length
      if (held > maxReplyBytes) throw new AgentFailed('The agent answered with more than 4 MiB.')
    }
  return Buffer.concat(pieces).toString('utf8')
}

/** The object that a reply holds; a failure with what was received instead. */
export const objectOf = ({ status, text }: OutsideReply): Record<string, unknown> => {
  const parsed = jsonIn(text)
  if (status >= 200 && status < 300 && isRecord(parsed)) return parsed
  throw new AgentFailed(`The agent answered with the status ${status}: ${text.slice(0, 500)}`)
}
