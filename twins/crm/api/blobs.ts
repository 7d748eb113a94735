import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, readJson } from '@diorama/twin-kit/wires/rest'
import { readMultipart } from '@diorama/twin-kit/wires/rpc-multipart'
import { existing } from '../records/save.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { type ApiCall, type Body, bodyOf, orgFor } from './context.ts'

/** The fields of a record: a JSON body, or a multipart one with the fields in one part and a file's bytes in another. */
export const recordBody = (api: ApiCall): Body => {
  const type = api.headers['content-type'] ?? ''
  if (!/multipart\/form-data/i.test(type)) return bodyOf(api)
  const parts = readMultipart(api.raw, type)
  const [fields] = Object.values(parts?.fields ?? {})
  const read = fields === undefined ? undefined : readJson(Buffer.from(fields))
  if (
    !parts ||
    !read?.ok ||
    typeof read.value !== 'object' ||
    read.value === null ||
    Array.isArray(read.value)
  )
    throw new VendorError(
      'INVALID_MULTIPART_REQUEST',
      'A multipart request has a part with the JSON of the record and a part with the file.',
    )
  const files = Object.entries(parts.files).map(([name, file]) => [
    name,
    Buffer.from(file.bytes).toString('base64'),
  ])
  return { ...(read.value as Body), ...Object.fromEntries(files) }
}

/** `/sobjects/ContentVersion/068…/VersionData`: the bytes as they were stored. */
export const readBlob = (
  api: ApiCall,
  object: ObjectSchema,
  { id, field }: { id: string; field: string },
): RestReply => {
  const data = existing({ org: orgFor(api) }, object, id)[field]
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(Buffer.from(typeof data === 'string' ? data : '', 'base64')),
  }
}
