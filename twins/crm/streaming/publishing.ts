import type { ApiCall, Body } from '../api/context.ts'
import { eighteen } from '../ids.ts'
import { type Published, platformEvent } from './platform-events.ts'

/** Publishes an event where the name is that of one, and says so as the service does; undefined for a record. */
export const publishedBody = (
  api: Pick<ApiCall, 'session' | 'method'>,
  name: unknown,
  fields: () => Body,
): Body | undefined => {
  const event = typeof name === 'string' ? platformEvent(api.session.views, name) : undefined
  if (!event) return undefined
  api.session.label(`${api.method} ${event.name}`)
  const { uuid, replayId } = api.session.call<Published>('publish event', {
    name: event.name,
    fields: fields(),
  })
  return {
    id: eighteen(`e00xx${String(replayId).padStart(10, '0')}`),
    success: true,
    errors: [{ statusCode: 'OPERATION_ENQUEUED', message: uuid, fields: [] }],
  }
}
