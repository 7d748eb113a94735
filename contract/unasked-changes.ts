import { z } from 'zod'
import { UnaskedPolicy } from './suites.ts'

export const UnaskedChanges = z
  .object({
    policy: UnaskedPolicy,
    total: z.int(),
    items: z
      .array(
        z.object({
          service: z.string(),
          collection: z.string(),
          operation: z.enum(['create', 'update', 'delete']),
          id: z.string(),
          key: z.string().nullable(),
          fields: z.array(z.string()),
        }),
      )
      .meta({ description: 'The first of them.' }),
  })
  .meta({ id: 'UnaskedChanges' })
export type UnaskedChanges = z.infer<typeof UnaskedChanges>
