import type { DiffEntry } from '@diorama/contract'
import type { RecordedRequest, ServiceState } from '@diorama/sandbox/verifier/world-state'

/** One twin as the file of a world holds it. */
export interface ServicePart {
  readonly service: string
  readonly collections: Record<string, readonly { id: string; record: Record<string, unknown> }[]>
  readonly keys: readonly { key: string; collection: string; id: string }[]
  readonly idFields: Record<string, string>
  readonly diff: readonly DiffEntry[]
}

/** The part of a world's file that tells of one twin, ready to be put into it. */
export const serviceText = ({ collections, keys, idFields, diff }: ServicePart): Buffer => {
  const state: ServiceState = { collections, keys, id_field: idFields, diff }
  return Buffer.from(JSON.stringify(state))
}

/** The file that the helpers of scorers read, put together from ready parts and what was recorded of the twins. */
export const worldFile = (
  services: readonly { readonly service: string; readonly text: Uint8Array }[],
  activity: readonly RecordedRequest[],
): Buffer =>
  Buffer.concat([
    Buffer.from('{"services":{'),
    ...services.flatMap(({ service, text }, n) => [
      Buffer.from(`${n > 0 ? ',' : ''}${JSON.stringify(service)}:`),
      text,
    ]),
    Buffer.from(`},"activity":${JSON.stringify(activity)}}`),
  ])
