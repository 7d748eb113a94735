import type { DiffEntry } from '@diorama/contract'
import { changeSides, type SidedStep } from '@diorama/contract/change-sides'
import type { TimelineSource } from '@diorama/sandbox/verifier/timeline'
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

/** What a trial adds to the records of its twins: when the story began, who was written to, and who waited. */
export type StoryPart = Pick<TimelineSource, 'story' | 'addressed' | 'waits'>

/** The file that the helpers of scorers read, put together from ready parts and what was recorded of the twins. */
export const worldFile = (
  services: readonly { readonly service: string; readonly text: Uint8Array }[],
  activity: readonly (RecordedRequest & SidedStep)[],
  story: StoryPart = {},
): Buffer =>
  Buffer.concat([
    Buffer.from('{"services":{'),
    ...services.flatMap(({ service, text }, n) => [
      Buffer.from(`${n > 0 ? ',' : ''}${JSON.stringify(service)}:`),
      text,
    ]),
    Buffer.from(`},"activity":${JSON.stringify(activity)}${moreFields(activity, story)}}`),
  ])

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Who was written to is there wherever it is recorded, even if nobody was; other lists are left out when empty. */
const moreFields = (activity: readonly SidedStep[], story: StoryPart): string =>
  Object.entries({ ...story, sides: changeSides(activity) })
    .filter(([name, value]) => value !== undefined && (name in story || !isEmpty(value)))
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
