import { buffer } from 'node:stream/consumers'
import { type cassetteRoutes, cassetteType } from '@diorama/contract'
import { notFound } from '../../http/api-error.ts'
import { Answer, type Handlers } from '../../http/handler.ts'
import { artifactOf, entriesOf } from './artifact.ts'
import type { Cassettes } from './cassettes.ts'

export const cassetteHandlers = (cassettes: Cassettes): Handlers<typeof cassetteRoutes> => ({
  listCassettes: ({ caller, query }) => cassettes.list(caller.organizationId, query),
  listCassetteVersions: ({ caller, params, query }) =>
    cassettes.versions(caller.organizationId, params.name, query),
  exportCassette: async ({ caller: { organizationId }, params: { name }, query: { version } }) => {
    const found = await cassettes.resolve(organizationId, version === undefined ? name : `${name}@${version}`)
    if (!found) throw notFound('cassette')
    const text = artifactOf(name, await cassettes.entries(found.id, organizationId))
    return new Answer(200, Buffer.from(text), { 'content-type': `${cassetteType}; charset=utf-8` })
  },
  importCassette: async ({ caller: { organizationId, keyId }, params: { name }, bytes, stream }) => {
    const body = stream ? await buffer(stream) : Buffer.from(bytes)
    const entries = entriesOf(body.toString('utf8'))
    return new Answer(201, await cassettes.import({ organizationId, name, by: keyId }, entries))
  },
  deleteCassette: async ({ caller, params }) => {
    await cassettes.remove(caller.organizationId, params.name)
    return new Answer(204)
  },
})
