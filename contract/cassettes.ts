import { z } from 'zod'
import { PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const CassetteName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'must have 1 to 100 lower-case letters, digits, dashes or dots')

export const CassetteVersion = z
  .object({
    name: z.string(),
    version: z.int(),
    job_id: z
      .string()
      .nullable()
      .meta({ description: 'The evaluation that recorded it; null for one that was imported.' }),
    open: z.boolean().meta({ description: 'The evaluation that records it has not ended.' }),
    entries: z.int(),
    created_at: Timestamp,
  })
  .meta({ id: 'CassetteVersion' })
export type CassetteVersion = z.infer<typeof CassetteVersion>

const params = z.object({ name: CassetteName })
const version = z.coerce.number().int().min(1).max(1_000_000_000).optional()

/** The content type of an exported cassette: a line with its facts, then one line for each entry, sorted. */
export const cassetteType = 'application/jsonl'

export const cassetteRoutes = routes({
  listCassettes: {
    method: 'GET',
    path: '/v1/cassettes',
    tag: 'Models',
    summary: 'List cassettes, each with its newest version.',
    scope: 'models:read',
    query: PageQuery,
    reply: pageOf(CassetteVersion),
    errors: ['invalid_cursor'],
  },
  listCassetteVersions: {
    method: 'GET',
    path: '/v1/cassettes/{name}/versions',
    tag: 'Models',
    summary: 'List the versions of a cassette, newest first.',
    scope: 'models:read',
    params,
    query: PageQuery,
    reply: pageOf(CassetteVersion),
    errors: ['not_found', 'invalid_cursor'],
  },
  exportCassette: {
    method: 'GET',
    path: '/v1/cassettes/{name}/export',
    tag: 'Models',
    summary: 'A version as JSON Lines, to commit and to import elsewhere. It holds no key.',
    scope: 'models:read',
    params,
    query: z.object({ version: version.meta({ description: 'The newest if left out.' }) }),
    gives: `${cassetteType}; charset=utf-8`,
    errors: ['not_found', 'conflict'],
  },
  importCassette: {
    method: 'POST',
    path: '/v1/cassettes/{name}/import',
    tag: 'Models',
    summary: 'Add a version from an export.',
    scope: 'models:write',
    params,
    takes: [cassetteType],
    bodyLimit: 'bundle',
    status: 201,
    reply: CassetteVersion,
    errors: ['invalid_reference', 'too_large'],
  },
  deleteCassette: {
    method: 'DELETE',
    path: '/v1/cassettes/{name}',
    tag: 'Models',
    summary: 'Delete a cassette with all its versions.',
    scope: 'models:write',
    params,
    status: 204,
    errors: ['not_found', 'conflict'],
  },
})
