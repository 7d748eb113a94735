import type { Session, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { authenticate } from '../actor.ts'
import type { TrackerTables } from '../tables.ts'

/** The address of an uploaded file: the service's own host when the caller came by it, and below the twin otherwise. */
export const assetUrl = (baseUrl: string, id: string): string =>
  /^https:\/\/(?:api|uploads|mcp)\.linear\.app$/.test(baseUrl)
    ? `https://uploads.linear.app/uploads/${id}`
    : `${baseUrl}/uploads/${id}`

/** The largest file that is kept. */
export const maxBytes = 4 * 1024 * 1024

const plain = (status: number, body: string): TwinReply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})

/** A file is put to the address that the API gave out, and can be fetched there. */
export const answerUpload = (
  request: TwinRequest,
  session: Session<TrackerTables>,
): TwinReply | undefined => {
  const id = /^\/uploads\/([0-9a-f-]{36})$/.exec(request.path)?.[1]
  if (id === undefined) return undefined
  const upload = session.views.upload.get(id)
  if (!upload) return plain(404, 'Not found')
  if (request.method === 'PUT') {
    if (request.body.byteLength > maxBytes) return plain(413, 'The file is larger than 4 MiB')
    session.call('put file', { id, content: Buffer.from(request.body).toString('base64') })
    return plain(200, '')
  }
  if (!authenticate(request, session)) return plain(401, 'Unauthorized')
  if (upload.content === null) return plain(404, 'Not found')
  return {
    status: 200,
    headers: { 'content-type': upload.contentType },
    body: Buffer.from(upload.content, 'base64'),
  }
}
