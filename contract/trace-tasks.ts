import { z } from 'zod'
import { routes } from './route.ts'
import { Task } from './suites.ts'

export const TaskFromTrace = z
  .object({
    trace_id: z.string().min(1).max(128),
    notes: z
      .string()
      .max(20_000)
      .nullable()
      .default(null)
      .meta({ description: 'What a good answer needs; goes into the expected outcome.' }),
  })
  .meta({ id: 'TaskFromTrace' })
export type TaskFromTrace = z.infer<typeof TaskFromTrace>

export const traceTaskRoutes = routes({
  createTaskFromTrace: {
    method: 'POST',
    path: '/v1/task-suites/{suiteId}/traces',
    tag: 'Suites',
    summary:
      'Make a task from a recorded trace. What came from the last answer on is held back as the reference.',
    scope: 'suites:write',
    params: z.object({ suiteId: z.string() }),
    body: TaskFromTrace,
    status: 201,
    reply: Task,
    errors: ['not_found', 'invalid_reference', 'conflict', 'limit_exceeded', 'unavailable'],
    creates: true,
  },
})
