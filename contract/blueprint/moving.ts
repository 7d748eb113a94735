import { z } from 'zod'
import { durationPattern } from '../durations.ts'
import { TwinKind } from '../kinds.ts'

const duration = z.string().meta({ pattern: durationPattern, description: 'Such as 90s, 2h or 1h30m.' })
const handle = z.string().meta({ description: 'Handle of a person.' })
const words = z.array(z.string().meta({ minLength: 1, maxLength: 200 })).meta({ maxItems: 50 })

export const clockModes = ['story', 'wall'] as const
export const ClockMode = z.enum(clockModes).meta({
  description:
    'story: each request costs a fixed time and waiting is explicit. wall: real time times the factor.',
})
export type ClockMode = z.infer<typeof ClockMode>

export const TimeBlueprint = z
  .object({
    mode: ClockMode.nullable()
      .default(null)
      .meta({ description: 'When left out: story in trials, wall in worlds that are launched.' }),
    factor: z.number().default(1).meta({
      minimum: 0.001,
      maximum: 100_000,
      description: 'How many times faster than real time a wall clock runs.',
    }),
    requestCost: duration.default('20s').meta({
      description: 'The story time that a request takes in story mode, such as 20s.',
    }),
    operationCosts: z
      .record(z.string(), duration)
      .default({})
      .meta({ description: "Costs by operation, by the service's own names, in place of requestCost." }),
  })
  .meta({ id: 'TimeBlueprint' })
export type TimeBlueprint = z.infer<typeof TimeBlueprint>

export const EventAction = z
  .object({
    service: TwinKind,
    operation: z.string().meta({ minLength: 1, maxLength: 200, description: "By the vendor's own name." }),
    input: z.record(z.string(), z.unknown()).default({}).meta({
      description:
        'What the operation takes. {"$key": k} is replaced by the id of a record of the blueprint, {"$person": handle} for that of a person or, in chat, of the agent, {"$latest": {collection, where, field}} for that of the newest record that fits.',
    }),
    as: handle
      .nullable()
      .default(null)
      .meta({ description: 'Who does it, where that is not the actor of the event.' }),
  })
  .meta({ id: 'EventAction' })
export type EventAction = z.infer<typeof EventAction>

const actor = z.string().meta({ description: 'A handle, or agent for the integration.' })

export const EventCondition = z
  .object({
    request: z
      .object({
        service: TwinKind,
        operation: z.string().nullable().default(null),
        actor: actor.nullable().default(null),
        succeeded: z.boolean().nullable().default(null),
      })
      .nullable()
      .default(null)
      .meta({ description: 'A request was made.' }),
    record: z
      .object({
        service: TwinKind,
        collection: z.string().nullable().default(null),
        key: z.string().nullable().default(null).meta({ description: 'Of a record of the blueprint.' }),
        field: z.string(),
        equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
        contains: z.string().nullable().default(null),
      })
      .nullable()
      .default(null)
      .meta({ description: 'A record was given a value.' }),
    message: z
      .object({ to: handle, from: actor.nullable().default(null), about: words.default([]) })
      .nullable()
      .default(null)
      .meta({ description: 'Somebody was written to, with one of these words where there are any.' }),
    quiet: z
      .object({
        for: duration,
        service: TwinKind.nullable().default(null),
        operation: z.string().nullable().default(null),
        actor: actor.nullable().default(null),
      })
      .nullable()
      .default(null)
      .meta({ description: 'No one made such a request for that long.' }),
  })
  .meta({ id: 'EventCondition', description: 'Exactly one of its fields.' })
export type EventCondition = z.infer<typeof EventCondition>

export const WorldEventBlueprint = z
  .object({
    key: z.string().meta({ pattern: '^[a-z0-9]+([._-][a-z0-9]+)*$', maxLength: 80 }),
    at: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'A moment (ISO 8601), or a time after the start such as 2h.' }),
    after: z
      .array(z.string())
      .meta({ maxItems: 20 })
      .default([])
      .meta({ description: 'Keys of events that must all have happened.' }),
    when: EventCondition.nullable().default(null),
    delay: duration
      .nullable()
      .default(null)
      .meta({ description: 'How long after `after` or `when` has come true.' }),
    every: duration.nullable().default(null).meta({ description: 'Again and again at this distance.' }),
    until: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'The end of `every`: a moment, or a time after the start.' }),
    times: z
      .int()
      .default(1)
      .meta({ minimum: 1, maximum: 10_000, description: 'How often a `when` may make it happen.' }),
    as: handle,
    do: z.array(EventAction).meta({ minItems: 1, maxItems: 20 }),
  })
  .meta({ id: 'WorldEventBlueprint' })
export type WorldEventBlueprint = z.infer<typeof WorldEventBlueprint>
