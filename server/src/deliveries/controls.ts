import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../http/api-error.ts'
import { Answer } from '../http/handler.ts'
import type { Host } from '../twins/host.ts'
import { forwardedHeader, type OtherNodes } from '../twins/placement/other-nodes.ts'
import type { PlacedTwin } from '../twins/placement/placed-twin.ts'
import type { TwinRow } from '../twins/store.ts'

/** A request to `/v1` that runs a control, as it came. */
export interface ControlRequest {
  readonly method: string
  /** Below the twin. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Uint8Array
  readonly body?: unknown
}

/** Runs what people do on a service's own screens, on the node that runs the twin. */
export interface Controls {
  readonly run: (
    twin: TwinRow,
    name: string,
    request: ControlRequest,
  ) => Promise<Record<string, unknown> | Answer<Record<string, unknown>>>
}

/** Runs work on the node that runs the twin: here, or there by sending the request on. */
export const onOwner = async <B extends Record<string, unknown>>(
  host: Host,
  row: TwinRow,
  request: ControlRequest,
  work: (twin: PlacedTwin) => Promise<B>,
): Promise<B | Answer<B>> => {
  const found = await host.find(row.id)
  if (found.at === 'ended' || found.at === 'nowhere') throw new ApiError('gone', `The twin is ${row.status}.`)
  if (found.at === 'elsewhere' && request.headers[forwardedHeader] === undefined)
    return (await forwarded(host.nodes, { address: found.address, twinId: row.id, request })) as Answer<B>
  if (found.at !== 'here') throw new ApiError('unavailable', 'The twin is moving to another node; retry.')
  return work(found.twin)
}

export const createControls = ({
  host,
  baseUrl,
}: {
  readonly host: Host
  readonly baseUrl: () => string
}): Controls => ({
  run: (row, name, request) =>
    onOwner(host, row, request, async (twin) => {
      if (!twin.model.controls?.[name])
        throw new ApiError('conflict', `A twin of ${row.service} has no such control.`)
      const order = { name, input: request.body ?? {}, baseUrl: `${baseUrl()}/t/${row.id}` }
      const { output, refusal } = await host.control(twin, order)
      if (refusal)
        throw new ApiError('invalid_reference', refusal.message, {
          details: refusal.details.map(({ pointer, message }) => ({ pointer, message })),
        })
      return (output ?? {}) as Record<string, unknown>
    }),
})

/** The twin's own node authenticates the caller again. */
const forwarded = async (
  nodes: OtherNodes,
  { address, twinId, request }: { address: string; twinId: string; request: ControlRequest },
) => {
  const { method, path, headers, bytes } = request
  const reply = await nodes.forward(address, {
    method,
    url: `/v1/twins/${twinId}/${path}`,
    headers,
    body: method === 'GET' ? new Uint8Array() : bytes,
  })
  const body = JSON.parse(reply.body.toString('utf8')) as Record<string, unknown>
  if (reply.status >= 400)
    throw new ApiError(reply.status === 400 ? 'invalid_reference' : 'unavailable', String(body.error), {
      details: (body.details ?? []) as { pointer: string; message: string }[],
    })
  return new Answer(reply.status, body)
}
