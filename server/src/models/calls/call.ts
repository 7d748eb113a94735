import type { ModelCall } from '@diorama/contract'
import type { CanonicalRequest } from '../cassettes/canonical.ts'
import type { Provider } from '../providers/provider.ts'
import type { WireReply, WireRequest } from '../wires/operation.ts'
import type { FoundOperation } from '../wires/operations.ts'

export type CallSource = ModelCall['source']

/** One request to a model, of an agent, a judge or a chat. */
export interface CallOrder {
  readonly source: CallSource
  /** The provider's name; of a host that the deployment allows without being a provider, the host. */
  readonly name: string
  /** Undefined where none is set up: then only a cassette or a script can answer. */
  readonly provider: Provider | undefined
  readonly credential: 'provider' | 'caller'
  readonly found: FoundOperation
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
  readonly signal: AbortSignal
}

export interface CallReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}

/** A call on its way. */
export interface OpenCall {
  readonly order: CallOrder
  readonly asked: WireRequest
  readonly canonical: CanonicalRequest
  readonly ordinal: number
  readonly startedAt: number
}

/** A call that has ended, as it is metered, shown and kept. */
export interface FinishedCall {
  readonly id: string
  readonly source: CallSource
  readonly provider: string
  readonly model: string | null
  readonly operation: string
  readonly served: ModelCall['served']
  readonly streamed: boolean
  readonly status: number
  readonly outcome: ModelCall['outcome']
  readonly error: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly costUsd: number | null
  readonly latencyMs: number
  readonly firstByteMs: number | null
  readonly requestSha256: string
  readonly startedAt: number
  /** The bodies as they are kept: compressed, and cut at a limit. */
  readonly request: Buffer
  readonly response: Buffer
  readonly asked: WireRequest
  readonly answered: WireReply
}

/** What the calls of a trial have come to. */
export interface SpentUsage {
  readonly tokens: number
  /** Null where no call had a price. */
  readonly costUsd: number | null
}

export const spentBy = (calls: readonly FinishedCall[]): SpentUsage => {
  const costs = calls.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    tokens: calls.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  }
}
