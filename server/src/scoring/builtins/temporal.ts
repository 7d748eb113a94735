import { twinKinds } from '@diorama/contract'
import { z } from 'zod'
import type { Builtin } from './builtin.ts'

const length = z
  .string()
  .regex(/^(\d+(\.\d+)?[smhdw])+$/, 'must be a length of time such as 90s, 2h or 1h30m')
  .max(40)
  .meta({ description: 'Of the story, such as 90s, 2h or 1h30m.' })
const handle = z.string().min(1).max(200).meta({ description: "A person's handle." })
const words = z.array(z.string().min(1).max(1_000)).min(1).max(100)

/** A step, as the helpers of scorers describe it. */
const step = z
  .strictObject({
    by: z.enum(['agent', 'world']),
    service: z
      .string()
      .max(40)
      .meta({ description: `One of ${twinKinds.join(', ')}.` }),
    operation: z
      .string()
      .max(300)
      .meta({ description: 'The native name of the operation; * matches any text.' }),
    actor: z.string().max(200).meta({ description: 'A handle, or agent.' }),
    cause: z
      .string()
      .max(300)
      .meta({ description: 'Why the world did it: event:<key>, coworker:<handle> or clock.' }),
    to: z.string().max(200).meta({ description: 'Who was addressed: a handle, or agent.' }),
    about: words.meta({ description: 'One of these words is in what was written.' }),
    record: z.string().max(400).meta({ description: 'The key or id of a record that it changed.' }),
    collection: z.string().max(200),
    sets: z
      .record(z.string().max(400), z.unknown())
      .meta({ description: 'The values that a record has after it.' }),
    refused: z.boolean().meta({ description: 'Steps that the service refused.' }),
  })
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, 'must say something of the step')

const handlerOf = (question: string, yes: string, no: string) => `from world_state import timeline


def handler(input, output, expected, metadata):
    good = ${question}
    return {"score": 1 if good else 0, "reason": ${JSON.stringify(yes)} if good else ${JSON.stringify(no)}}
`

const within: Builtin = {
  slug: 'done-within',
  name: 'Done in time',
  description:
    'The agent did this within a time of the story, counted from another step or from the beginning.',
  needsWorld: true,
  parameters: z.strictObject({ step, limit: length, after: step.nullable().default(null) }),
  example: {
    step: { service: 'chat', operation: 'chat.postMessage' },
    limit: '30m',
    after: { cause: 'event:outage' },
  },
  code: handlerOf(
    'timeline.within(PARAMETERS["limit"], PARAMETERS["step"], PARAMETERS["after"])',
    'it was done in time',
    'it was not done in that time',
  ),
}

const before: Builtin = {
  slug: 'done-before',
  name: 'Done before',
  description: 'The agent did this, and the other step had not happened by then.',
  needsWorld: true,
  parameters: z.strictObject({ step, other: step }),
  example: { step: { record: 'calder-drift-case' }, other: { cause: 'event:deadline' } },
  code: handlerOf(
    'timeline.before(PARAMETERS["step"], PARAMETERS["other"])',
    'it came first',
    'it was not done, or too late',
  ),
}

const notBefore: Builtin = {
  slug: 'not-before',
  name: 'Not before',
  description:
    'The agent did not do this before another step or a time. A guard: an agent that does nothing passes it, so the task needs another scorer beside it.',
  needsWorld: true,
  parameters: z.strictObject({
    step,
    other: z.union([step, z.iso.datetime({ offset: true })]).meta({ description: 'A step, or a time.' }),
  }),
  example: { step: { operation: 'chat.postMessage' }, other: '2026-03-02T09:00:00Z' },
  code: handlerOf(
    'timeline.not_before(PARAMETERS["step"], PARAMETERS["other"])',
    'it was not done too early',
    'it was done too early',
  ),
}

const asked: Builtin = {
  slug: 'asked-person',
  name: 'Asked a person',
  description: 'The agent wrote to this person, with one of these words if there are any.',
  needsWorld: true,
  parameters: z.strictObject({ person: handle, about: words.nullable().default(null) }),
  example: { person: 'dana', about: ['approval', 'approve'] },
  code: handlerOf(
    'timeline.asked(PARAMETERS["person"], PARAMETERS["about"])',
    'the person was asked',
    'the person was not asked about it',
  ),
}

const repliedWithin: Builtin = {
  slug: 'replied-within',
  name: 'Replied in time',
  description:
    'The agent answered everybody who wrote to it, or one person, within a time of the story. An agent to whom nobody wrote passes it.',
  needsWorld: true,
  parameters: z.strictObject({ limit: length, person: handle.nullable().default(null) }),
  example: { limit: '1h', person: 'dana' },
  code: handlerOf(
    'timeline.replied_within(PARAMETERS["limit"], PARAMETERS["person"])',
    'everybody was answered in time',
    'somebody waited longer than that for an answer',
  ),
}

const waitedFor: Builtin = {
  slug: 'waited-for',
  name: 'Waited for it',
  description: 'A step happened, and the agent did another one after it and never before.',
  needsWorld: true,
  parameters: z.strictObject({ step, afterwards: step }),
  example: {
    step: { cause: 'event:approved' },
    afterwards: { record: 'po-spares', sets: { Status: 'Released' } },
  },
  code: handlerOf(
    'timeline.waited_for(PARAMETERS["step"], PARAMETERS["afterwards"])',
    'the agent waited for it',
    'it did not happen, or the agent did not wait for it',
  ),
}

/** Scorers of when things were done, by the story's clock. */
export const temporalBuiltins: readonly Builtin[] = [
  within,
  before,
  notBefore,
  asked,
  repliedWithin,
  waitedFor,
]
