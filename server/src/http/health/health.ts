import type { healthRoutes } from '@diorama/contract/health'
import { ApiError } from '../api-error.ts'
import { Answer, type Handlers } from '../handler.ts'
import type { Metrics } from '../metrics.ts'
import { docsPage } from '../reference/docs.ts'
import { openApi } from '../reference/openapi.ts'
import { interactivePolicy, interactiveReference } from '../reference/served-docs.ts'

export interface HealthParts {
  readonly state: { readonly draining: boolean; readonly baseUrl: string }
  /** Throws what this node lacks to do its work. */
  readonly checkReady: () => Promise<void>
  readonly metrics: Metrics
  readonly version: string
}

export const healthHandlers = ({
  state,
  checkReady,
  metrics,
  version,
}: HealthParts): Handlers<typeof healthRoutes> => ({
  healthz: () => ({ status: 'ok' }),
  readyz: async () => {
    if (state.draining)
      throw new ApiError('unavailable', 'The service is draining.', { retryAfterSeconds: 5 })
    await checkReady()
    return { status: 'ready', version }
  },
  metrics: async () => new Answer(200, Buffer.from(await metrics.registry.metrics())),
  openapi: () => openApi(state.baseUrl, version),
  docs: async () => {
    const built = await interactiveReference()
    return built
      ? new Answer(200, built, { 'content-security-policy': interactivePolicy })
      : new Answer(200, Buffer.from(docsPage(state.baseUrl)), {
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        })
  },
})
