import type { ModelProviderTestResult, ModelWire } from '@diorama/contract'
import { notFound } from '../../http/api-error.ts'
import type { ModelAccess } from '../access.ts'
import { operationAt } from '../wires/operations.ts'

export type TryProvider = (
  organizationId: string,
  asked: { readonly name: string; readonly model: string },
  signal: AbortSignal,
) => Promise<ModelProviderTestResult>

const question = 'Reply with the word OK.'
const maxShown = 500

/** The smallest question of each wire. */
const requests: Readonly<Record<ModelWire, (model: string) => { path: string; body: object }>> = {
  openai: (model) => ({
    path: '/chat/completions',
    body: { model, messages: [{ role: 'user', content: question }] },
  }),
  anthropic: (model) => ({
    path: '/messages',
    body: { model, max_tokens: 16, messages: [{ role: 'user', content: question }] },
  }),
  gemini: (model) => ({
    path: `/models/${model}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: question }] }] },
  }),
}

/** Asks a provider one small question, the way that every call takes, and reports what came of it. */
export const createTryProvider =
  ({ access }: { readonly access: Pick<ModelAccess, 'live'> }): TryProvider =>
  async (organizationId, { name, model }, signal) => {
    const { session, providers } = await access.live(organizationId, 'chat')
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined
    if (!provider) throw notFound('model provider')
    const { path, body } = requests[provider.wire](model)
    const found = operationAt('POST', path)
    if (!found)
      return { ok: false, status: null, reply: null, error: `${model} is no id of a model.`, latency_ms: 0 }
    const answer = await session.exchange({
      ...{ source: 'chat', name, provider, credential: 'provider', found, signal },
      headers: { 'anthropic-version': '2023-06-01' },
      body: Buffer.from(JSON.stringify(body)),
    })
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of answer.body) chunks.push(chunk)
    } catch {
      // The record of the call says what broke it.
    }
    const call = session.calls.at(-1)
    const ok = call?.outcome === 'succeeded'
    return {
      ok,
      status: call?.served === 'live' ? answer.status : null,
      reply: ok ? call.answered.text.slice(0, maxShown) : null,
      error: ok ? null : (call?.error?.slice(0, maxShown) ?? 'The provider did not answer.'),
      latency_ms: call?.latencyMs ?? 0,
    }
  }
