import { z } from 'zod'

/** The name by which the agent of a trial is called. It exists in the trial's own world alone. */
export const agentHost = 'agent.internal'

export const AgentListen = z
  .object({
    by: z
      .enum(['http', 'socket'])
      .default('http')
      .meta({
        description: `How it is called. http: the services send requests to https://${agentHost}, which lead to its port. socket: it opens a WebSocket to a service that has them, and listens there.`,
      }),
    port: z.int().min(1_024).max(65_535).optional().meta({
      description:
        'For http: the port on which the agent listens, also in its variable PORT; 3000 when left out.',
    }),
    settings: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .default({})
      .meta({
        description: `The settings of the services, as PUT /v1/twins/{id}/settings takes them, by service. They are put in place when the agent listens: here the addresses that the services call are said, such as https://${agentHost}/events.`,
      }),
    ready_seconds: z.int().min(1).max(600).default(60).meta({
      description: 'How long the agent may take until it listens, or has opened its socket.',
    }),
    idle_seconds: z.int().min(1).max(86_400).default(60).meta({
      description:
        'The trial ends when nothing is due in the world and the agent has done nothing for so long, by the clock of the world.',
    }),
    max_story_seconds: z
      .int()
      .min(60)
      .max(31 * 86_400)
      .default(86_400)
      .meta({ description: 'The trial ends at the latest after so long, by the clock of the world.' }),
  })
  .meta({ id: 'AgentListen', description: 'For an agent that waits to be called, such as a bot.' })
export type AgentListen = z.infer<typeof AgentListen>
