import { z } from 'zod'
import { InputTimestamp, Timestamp } from './pages.ts'

/** A company as datasets describe it: the limits of blueprints do not apply. */
export const DatasetCompany = z
  .object({
    organization: z.object({
      name: z.string().min(1).max(200),
      slug: z
        .string()
        .regex(/^[a-z0-9-]{3,20}$/, { error: 'must be 3 to 20 lowercase letters, digits or dashes' }),
      description: z.string().max(10_000).default(''),
      industry: z.string().max(200).default(''),
      emailDomain: z.string().max(253).default('example.com'),
      headquarters: z.string().max(200).nullable().default(null),
    }),
    clock: InputTimestamp.meta({ description: "The world's now." }),
    actsAs: z.string().max(200).nullable().default(null).meta({
      description: "Whom a twin's own token acts as, where its rows do not say so.",
    }),
    people: z
      .array(
        z.object({
          handle: z.string().min(1).max(200),
          firstName: z.string().max(200).default(''),
          lastName: z.string().max(200).default(''),
          name: z.string().max(400).default(''),
          email: z.string().max(320).default(''),
          title: z.string().max(200).default(''),
          department: z.string().max(100).default(''),
          timezone: z.string().max(100).default('Etc/UTC'),
        }),
      )
      .max(200_000)
      .default([]),
  })
  .meta({ id: 'DatasetCompany' })
export type DatasetCompany = z.infer<typeof DatasetCompany>

export const DatasetVersion = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    name: z.string().meta({ description: "The dataset's name." }),
    number: z.int(),
    clock: Timestamp.meta({ description: "The world's now." }),
    organization: z.object({ name: z.string(), slug: z.string() }),
    people_count: z.int(),
    services: z.array(
      z.object({
        service: z.string(),
        entity_count: z.int(),
        seed_sha256: z.string(),
        collections: z.array(z.object({ name: z.string(), count: z.int() })),
      }),
    ),
    source: z.object({
      kind: z.enum(['import', 'snapshot']),
      format: z.string().meta({ description: 'The form in which the data came.' }),
      world_id: z.string().nullable().meta({ description: 'The world that a snapshot was taken of.' }),
    }),
    pseudonyms: z
      .record(z.string(), z.int())
      .nullable()
      .meta({ description: 'What was replaced, and how often; null where nothing was to be.' }),
    warnings: z.array(z.string()),
    created_by: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'DatasetVersion' })
export type DatasetVersion = z.infer<typeof DatasetVersion>
