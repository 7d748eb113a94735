import { z } from 'zod'

/** The pad as a blueprint describes it. */
export const section = z
  .object({
    notes: z
      .array(
        z.object({
          key: z.string().meta({ minLength: 1, description: 'Unique; the story refers to the note by it.' }),
          text: z.string().meta({ minLength: 1 }),
          author: z
            .string()
            .nullable()
            .default(null)
            .meta({ description: 'Handle; the API owner when left out.' }),
        }),
      )
      .meta({ maxItems: 100 }),
  })
  .meta({ id: 'NotesSection' })
export type NotesSection = z.infer<typeof section>
