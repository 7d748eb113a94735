import { z } from 'zod'
import { durationPattern } from '../durations.ts'
import { EventAction } from './moving.ts'

const duration = z.string().meta({ pattern: durationPattern, description: 'Such as 90s, 2h or 1h30m.' })
const handle = z.string().meta({ description: 'Handle of a person.' })
const said = z.string().meta({ minLength: 1, maxLength: 4_000 })
const about = z
  .array(z.string().meta({ minLength: 1, maxLength: 200 }))
  .meta({ minItems: 1, maxItems: 50, description: 'Words or phrases by which somebody asks for it.' })
const time = z.string().meta({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'Such as 09:00.' })

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export const CoworkerFact = z
  .object({
    fact: said.meta({ description: 'What the person answers with, word by word.' }),
    about,
    tell: z.enum(['always', 'when_asked', 'only_to', 'never']).default('when_asked').meta({
      description:
        'always: with the first answer to anybody. when_asked: to everybody who asks about it. only_to: to the people in `to` alone. never: the person says that they cannot.',
    }),
    to: z.array(z.string()).meta({ maxItems: 20 }).default([]).meta({
      description: 'Handles, or agent for the integration; for only_to.',
    }),
    first: said
      .nullable()
      .default(null)
      .meta({ description: 'A wrong answer that is given first and corrected later.' }),
    correctsAfter: duration
      .nullable()
      .default(null)
      .meta({ description: 'How long after the wrong answer the right one comes without being asked for.' }),
  })
  .meta({ id: 'CoworkerFact' })
export type CoworkerFact = z.infer<typeof CoworkerFact>

export const CoworkerApproval = z
  .object({
    about,
    below: z.number().nullable().default(null).meta({
      description: 'Approves when the amount in the request is lower than this; any when left out.',
    }),
    otherwise: z.enum(['refuse', 'escalate']).default('refuse').meta({
      description: 'escalate: the request is passed on to the person in escalatesTo, who answers it.',
    }),
    yes: said.default('Approved.'),
    no: said.default('I cannot approve that.'),
    do: z
      .array(EventAction)
      .meta({ maxItems: 20 })
      .default([])
      .meta({ description: 'What the person does on approving.' }),
  })
  .meta({ id: 'CoworkerApproval' })
export type CoworkerApproval = z.infer<typeof CoworkerApproval>

export const CoworkerBlueprint = z
  .object({
    person: handle,
    knows: z.array(CoworkerFact).meta({ maxItems: 200 }).default([]),
    approvals: z.array(CoworkerApproval).meta({ maxItems: 50 }).default([]),
    hours: z
      .object({
        days: z.array(z.enum(weekdays)).meta({ minItems: 1, maxItems: 7 }),
        from: time,
        to: time,
      })
      .nullable()
      .default(null)
      .meta({ description: 'When the person answers, in their own time zone; at any time when left out.' }),
    replyDelay: duration.default('10m').meta({ description: 'How long an answer takes.' }),
    escalatesTo: handle
      .nullable()
      .default(null)
      .meta({ description: 'Whom the person names or asks when they cannot help.' }),
    asks: z
      .object({ text: said, after: duration.default('0s') })
      .nullable()
      .default(null)
      .meta({
        description: 'What the person wants in turn, said once after the first answer: a favour, or a trap.',
      }),
    manner: z
      .string()
      .meta({ maxLength: 2_000 })
      .default('')
      .meta({ description: 'How the person writes; for a model that plays them.' }),
    model: z
      .object({ provider: z.string().meta({ minLength: 1 }), id: z.string().meta({ minLength: 1 }) })
      .nullable()
      .default(null)
      .meta({
        description: 'A model that words the answers in place of the fixed sentences; the decisions stay.',
      }),
  })
  .meta({ id: 'CoworkerBlueprint' })
export type CoworkerBlueprint = z.infer<typeof CoworkerBlueprint>
