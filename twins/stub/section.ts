import { z } from 'zod'

const document = (description: string) =>
  z.record(z.string(), z.unknown()).nullable().default(null).meta({ description })

/** Other services, as a blueprint describes them. */
export const section = z
  .object({
    services: z
      .array(
        z.object({
          name: z.string().meta({
            pattern: '^[a-z][a-z0-9-]{0,39}$',
            description: 'Unique; the service is called by it.',
          }),
          openapi: document('An OpenAPI 3 document as JSON, 1 MiB at most.'),
          har: document('A HAR recording, 1 MiB at most. Either this or openapi.'),
          records: z
            .array(
              z.object({
                path: z.string().meta({
                  minLength: 1,
                  description: 'The collection, such as /customers; an operation of the document names it.',
                }),
                key: z
                  .string()
                  .nullable()
                  .default(null)
                  .meta({ description: 'Unique; the story refers to the record by it.' }),
                value: z.record(z.string(), z.unknown()),
              }),
            )
            .default([])
            .meta({ maxItems: 1_000, description: 'What the collections hold at the start.' }),
        }),
      )
      .meta({ minItems: 1, maxItems: 10 }),
  })
  .meta({ id: 'StubSection' })
export type StubSection = z.infer<typeof section>
export type StubService = StubSection['services'][number]
