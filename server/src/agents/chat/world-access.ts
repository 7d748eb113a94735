/** What a chat needs of a world: which services it has, and calls to their twins. */
export interface WorldAccess {
  /** Undefined when the organization has no such world. */
  services(organizationId: string, worldId: string): Promise<readonly WorldService[] | undefined>
  call(call: TwinCall, signal: AbortSignal): Promise<TwinAnswer>
}

export interface WorldService {
  readonly service: string
  /** A sentence for the model: which service it is and where its interface begins. */
  readonly describes: string
}

export interface TwinCall {
  readonly organizationId: string
  readonly worldId: string
  readonly service: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface TwinAnswer {
  readonly status: number
  readonly body: string
}

/** A twin as its record says it is reached. */
export interface ReachableTwin extends WorldService {
  readonly baseUrl: string | null
  readonly token: string
}

const maxAnswerBytes = 1_048_576
const timeoutMs = 30_000

/** Calls twins as any client does: over HTTP, at their address, with their token. So the calls are recorded too. */
export const httpWorldAccess = (
  twinsOf: (organizationId: string, worldId: string) => Promise<readonly ReachableTwin[] | undefined>,
): WorldAccess => ({
  services: twinsOf,
  call: async ({ organizationId, worldId, service, method, path, headers, body }, signal) => {
    const twin = (await twinsOf(organizationId, worldId))?.find((one) => one.service === service)
    if (!twin?.baseUrl) return { status: 503, body: `The service ${service} of this world does not run.` }
    const reply = await fetch(`${twin.baseUrl}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${twin.token}` },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    return { status: reply.status, body: await firstBytes(reply) }
  },
})

const firstBytes = async (reply: Response): Promise<string> => {
  const pieces: Uint8Array[] = []
  let held = 0
  if (reply.body)
    for await (const piece of reply.body) {
      pieces.push(piece)
      held += piece.length
      if (held > maxAnswerBytes) break
    }
  return Buffer.concat(pieces).subarray(0, maxAnswerBytes).toString('utf8')
}
