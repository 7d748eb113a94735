import { z } from 'zod'
import { routes } from './route.ts'

/** A company of the library, as a gallery shows it. */
export const SampleCompany = z
  .object({
    slug: z.string(),
    name: z.string(),
    summary: z.string(),
    services: z.array(z.string()),
    people: z.int(),
    tasks: z.int(),
  })
  .meta({ id: 'SampleCompany' })
export type SampleCompany = z.infer<typeof SampleCompany>

export const sampleRoutes = routes({
  listSamples: {
    method: 'GET',
    path: '/v1/builder/samples',
    tag: 'Worlds',
    summary: 'The companies of the library, ready to be launched; the sample company comes first.',
    scope: 'worlds:read',
    reply: z.object({ items: z.array(SampleCompany), next_cursor: z.null() }),
  },
  readSample: {
    method: 'GET',
    path: '/v1/builder/samples/{slug}',
    tag: 'Worlds',
    summary: 'The blueprint of a company of the library.',
    scope: 'worlds:read',
    params: z.object({ slug: z.string() }),
    reply: z.record(z.string(), z.unknown()),
    errors: ['not_found'],
  },
})
