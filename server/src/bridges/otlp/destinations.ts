import type { TraceExport, traceExportRoutes } from '@diorama/contract'
import { ApiError, notFound } from '../../http/api-error.ts'
import { Answer, type Handlers } from '../../http/handler.ts'
import type { Sealing } from '../../storage/secrets/sealing.ts'
import type { Destination, TraceOutbox } from './store.ts'

export interface DestinationDeps {
  readonly outbox: TraceOutbox
  readonly sealing: Sealing
  /** Why nothing may be sent to this address, as far as its name says. */
  readonly refusal: (url: URL) => string | undefined
  readonly now: () => number
}

// The context is authenticated, so headers that are copied to another row do not open there.
const contextOf = (organizationId: string) => `trace export ${organizationId}`

export const openHeaders = (
  sealing: Sealing,
  { sealed_headers, organization_id }: Destination,
): Record<string, string> =>
  sealed_headers === null ? {} : JSON.parse(sealing.open(sealed_headers, contextOf(organization_id)))

const bad = (pointer: string, message: string): ApiError =>
  new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })

/** Setting where trials are sent. */
export const traceExportHandlers = ({
  outbox,
  sealing,
  refusal,
  now,
}: DestinationDeps): Handlers<typeof traceExportRoutes> => {
  const shown = async (organizationId: string): Promise<TraceExport> => {
    const row = await outbox.find(organizationId)
    if (!row) throw notFound('trace export')
    return {
      endpoint: row.endpoint,
      header_names: Object.keys(openHeaders(sealing, row)),
      include_content: row.include_content,
      waiting: await outbox.waiting(organizationId),
      dropped: row.dropped,
      last_error: row.last_error,
      last_sent_at: row.last_sent_at?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }
  }
  return {
    readTraceExport: ({ caller }) => shown(caller.organizationId),
    putTraceExport: async ({ caller, body }) => {
      const { organizationId } = caller
      const url = new URL(body.endpoint)
      const fault = refusal(url)
      if (fault !== undefined) throw bad('/endpoint', `cannot be used: ${fault}`)
      if (url.search !== '' || url.hash !== '') throw bad('/endpoint', 'must have no query and no fragment')
      const former = await outbox.find(organizationId)
      if (body.headers === undefined && former?.sealed_headers && former.endpoint !== body.endpoint)
        throw bad('/headers', 'must be sent again when the endpoint changes')
      const at = new Date(now())
      await outbox.put({
        organization_id: organizationId,
        endpoint: body.endpoint,
        sealed_headers:
          body.headers === undefined
            ? (former?.sealed_headers ?? null)
            : sealing.seal(JSON.stringify(body.headers), contextOf(organizationId)),
        include_content: body.include_content,
        ...{ created_by: caller.keyId, created_at: at, updated_at: at },
      })
      return shown(organizationId)
    },
    deleteTraceExport: async ({ caller }) => {
      if (!(await outbox.remove(caller.organizationId))) throw notFound('trace export')
      return new Answer(204)
    },
  }
}
