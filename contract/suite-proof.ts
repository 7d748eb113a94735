import { z } from 'zod'
import { Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const ScorerProof = z
  .object({
    scorer_id: z.string(),
    name: z.string(),
    scores: z.array(z.number().nullable()).meta({ description: 'The score of each of the two runs.' }),
    threshold: z.number().nullable(),
    passed: z.boolean().nullable().meta({ description: 'Null for a scorer without a threshold.' }),
    repeats: z.boolean(),
    reason: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ScorerProof' })

export const TaskProof = z
  .object({
    task_id: z.string(),
    title: z.string(),
    ok: z.boolean(),
    do_nothing_fails: z.boolean(),
    vandal_fails: z.boolean().meta({
      description: 'An agent that also changes, deletes and makes what nobody asked for fails.',
    }),
    vandal_on: z
      .enum(['passing trial', 'untouched world'])
      .meta({ description: 'What the vandal worked on: the newest passing trial, where there is one.' }),
    repeatable: z.boolean(),
    problems: z.array(z.string()),
    scorers: z.array(ScorerProof),
  })
  .meta({ id: 'TaskProof' })
export type TaskProof = z.infer<typeof TaskProof>

/** What a suite shows of itself: an agent that does nothing fails each task, and scorers agree with themselves. */
export const SuiteProof = z
  .object({
    suite_id: z.string(),
    version_id: z.string(),
    version_number: z.int(),
    ok: z.boolean(),
    checked_at: Timestamp,
    isolation: z
      .string()
      .nullable()
      .meta({ description: 'How the code of scorers was kept apart; null where there was none.' }),
    tasks: z.array(TaskProof),
  })
  .meta({ id: 'SuiteProof' })
export type SuiteProof = z.infer<typeof SuiteProof>

const proofErrors = [
  'not_found',
  'conflict',
  'limit_exceeded',
  'sandbox_denied',
  'sandbox_unavailable',
  'unavailable',
] as const

export const suiteProofRoutes = routes({
  checkSuite: {
    method: 'POST',
    path: '/v1/task-suites/{suiteId}/check',
    tag: 'Suites',
    summary:
      'Freeze the suite and prove it: an agent that does nothing fails each task, and each scorer repeats itself.',
    scope: 'suites:write',
    params: z.object({ suiteId: z.string() }),
    reply: SuiteProof,
    errors: [...proofErrors],
  },
  checkSuiteTasks: {
    method: 'POST',
    path: '/v1/task-suites/{suiteId}/check-tasks',
    tag: 'Suites',
    summary:
      'Prove some tasks of the suite, so that one of any size is proved part by part; the version keeps all parts.',
    scope: 'suites:write',
    params: z.object({ suiteId: z.string() }),
    body: z
      .object({
        task_ids: z
          .array(z.string().max(100))
          .min(1)
          .max(50)
          .meta({ description: 'Tasks of the suite; the reply holds their proofs alone.' }),
      })
      .meta({ id: 'SuiteTasksCheck' }),
    reply: SuiteProof,
    errors: [...proofErrors, 'invalid_reference'],
  },
})
