import { z } from 'zod'
import { ModelFailure } from '../../models/model.ts'
import { type ModelCatalog, parseModelName } from '../../models/models.ts'
import type { Log } from '../../storage/log.ts'
import { openFence } from './fence.ts'

export interface DraftParts {
  readonly models: ModelCatalog
  readonly judgeModel: string | undefined
  readonly random: (bytes: number) => Uint8Array
  readonly log: Log
}

/** What a task made from a trace is drafted from. */
export interface DraftMaterial {
  readonly organizationId: string
  readonly name: string
  readonly request: string
  readonly shown: unknown
  readonly heldBack: unknown
  readonly notes: string | null
}

const Draft = z.object({
  title: z.string().trim().min(1),
  instruction: z.string().trim().min(1),
  expected_outcome: z.string().trim().min(1),
})
export type Draft = z.infer<typeof Draft>

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'At most ten words.' },
    instruction: { type: 'string', description: 'What the agent is asked to do, as its user would say it.' },
    expected_outcome: {
      type: 'string',
      description: 'What a good answer says and does, so that it can be graded.',
    },
  },
  required: ['title', 'instruction', 'expected_outcome'],
  additionalProperties: false,
}

const instructions = [
  'You turn a recorded run of an AI agent into a task by which other agents are evaluated.',
  'The instruction asks for what the user asked for, and gives away nothing of what was held back: neither the answer nor the way to it.',
  "The expected outcome says what was right about the held-back part, corrected by the author's notes where there are any.",
].join('\n')

/** Drafts a task by the judge model; undefined where there is none or it fails, and a plain draft has to do. */
export const openDrafter =
  ({ models, judgeModel, random, log }: DraftParts) =>
  async (material: DraftMaterial, signal: AbortSignal): Promise<Draft | undefined> => {
    if (judgeModel === undefined) return undefined
    const fence = openFence(random)
    const parts = [
      fence.around('name', material.name),
      fence.around('request', material.request),
      fence.around('shown to the agent', material.shown),
      fence.around('held back', material.heldBack),
      fence.around("author's notes", material.notes),
    ]
    try {
      const { open } = await models.of(material.organizationId, { source: 'draft' })
      const reply = await open(parseModelName(judgeModel)).generate(
        {
          instructions: `${instructions}\n\n${fence.rule}`,
          messages: [{ role: 'user', text: parts.join('\n\n') }],
          output: { name: 'task', schema },
          temperature: 0,
        },
        signal,
      )
      return Draft.safeParse(reply.object).data
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      log.warn(
        { event: 'draft.judge_failed', error },
        'A task was drafted without the judge model, which failed.',
      )
      return undefined
    }
  }
