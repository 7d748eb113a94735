import { z } from 'zod'

const variables = z.record(z.string().max(200), z.string().max(10_000))
const path = z.string().max(500)
const workdir = path.nullable().meta({ description: 'Where commands start; where the image says when null.' })

/** The container in which the agents of a task from elsewhere work, and the one that grades what they leave. */
export const TaskContainer = z
  .object({
    image: z.string().max(300).meta({ description: 'An image of the deployment (DIORAMA_IMAGES).' }),
    workdir,
    env: variables,
    timeout_seconds: z.number().nullable(),
    allowed_hosts: z.array(z.string().max(300)).meta({
      description: 'The only hosts that the agent reaches, as far as trials may reach them at all.',
    }),
    artifacts: z.array(path).meta({
      description: 'Files and folders that are brought to the verifier, besides /logs/artifacts.',
    }),
    verifier: z.object({
      image: z.string().max(300),
      workdir,
      env: variables,
      timeout_seconds: z.number(),
      tests_sha256: z.string().nullable().meta({
        description: 'The files that are laid out in /tests; null where the image has them.',
      }),
    }),
  })
  .meta({ id: 'TaskContainer' })
export type TaskContainer = z.infer<typeof TaskContainer>
