import { z } from 'zod'
import { ClockMode, WorldEventBlueprint } from './blueprint/moving.ts'
import { durationPattern } from './durations.ts'
import { InputTimestamp, Timestamp } from './pages.ts'
import { routes } from './route.ts'

const Duration = z.string().regex(new RegExp(durationPattern), {
  error: 'must be a length of time such as 90s, 2h or 1h30m',
})

export const WorldClock = z
  .object({
    mode: ClockMode,
    now: Timestamp.meta({ description: "The story's time." }),
    factor: z.number().meta({ description: 'How many times faster than real time a wall clock runs.' }),
    request_cost_seconds: z.number().meta({ description: 'What a request costs in story mode.' }),
    next_due: Timestamp.nullable().meta({ description: 'When something next happens on its own.' }),
    pending: z.int().meta({ description: 'How much is waiting for its time.' }),
    fired: z.int().meta({ description: 'How many things have happened on their own.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why nothing happens on its own any more, if so; the twins still answer.' }),
  })
  .meta({ id: 'WorldClock' })
export type WorldClock = z.infer<typeof WorldClock>

export const ClockMove = z
  .object({
    advance: Duration.optional().meta({ description: 'How far to move, such as 2h.' }),
    to: InputTimestamp.optional().meta({ description: 'The moment to move to; never back.' }),
    mode: ClockMode.optional(),
    factor: z.number().min(0.001).max(100_000).optional(),
    request_cost: Duration.optional().meta({ description: 'What a request costs in story mode.' }),
  })
  .refine((move) => Object.values(move).some((value) => value !== undefined), {
    error: 'must have one of advance, to, mode, factor and request_cost',
  })
  .refine(({ advance, to }) => advance === undefined || to === undefined, {
    error: 'must not have both advance and to',
  })
  .meta({ id: 'ClockMove' })
export type ClockMove = z.infer<typeof ClockMove>

export const WorldEvent = z
  .object({
    key: z.string(),
    status: z.enum(['waiting', 'scheduled', 'done']),
    next_at: Timestamp.nullable(),
    fired: z.int().meta({ description: 'How often it has happened.' }),
    definition: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'WorldEvent' })
export type WorldEvent = z.infer<typeof WorldEvent>

const worldParams = z.object({ worldId: z.string() })

export const clockRoutes = routes({
  readWorldClock: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/clock',
    tag: 'Worlds',
    summary: "Read a world's clock. What is due by now happens first.",
    scope: 'worlds:read',
    params: worldParams,
    reply: WorldClock,
    errors: ['not_found', 'conflict', 'unavailable'],
  },
  moveWorldClock: {
    method: 'POST',
    path: '/v1/builder/worlds/{worldId}/clock',
    tag: 'Worlds',
    summary:
      "Move a world's clock, or choose how it runs. What comes due on the way happens in order, over all twins.",
    scope: 'worlds:write',
    params: worldParams,
    body: ClockMove,
    reply: WorldClock,
    errors: ['not_found', 'conflict', 'unavailable', 'malformed'],
  },
  listWorldEvents: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/events',
    tag: 'Worlds',
    summary: 'The events that a world has scheduled, and those that have happened.',
    scope: 'worlds:read',
    params: worldParams,
    reply: z.object({ items: z.array(WorldEvent) }),
    errors: ['not_found', 'conflict', 'unavailable'],
  },
  addWorldEvent: {
    method: 'POST',
    path: '/v1/builder/worlds/{worldId}/events',
    tag: 'Worlds',
    summary: 'Add an event to a running world, in the form of `scenario.events` of a blueprint.',
    scope: 'worlds:write',
    params: worldParams,
    body: z.object({ event: WorldEventBlueprint }).meta({ id: 'AddEventRequest' }),
    status: 201,
    reply: WorldEvent,
    errors: ['not_found', 'conflict', 'unavailable', 'invalid_blueprint', 'malformed'],
  },
})
