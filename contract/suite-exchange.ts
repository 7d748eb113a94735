import { z } from 'zod'
import { queryBoolean } from './pages.ts'
import { routes } from './route.ts'
import { TaskSuite } from './suites.ts'

/** The formats of other tools in which tasks can come. */
export const importFormats = ['harbor', 'promptfoo', 'inspect'] as const
/** How the answers to samples of an Inspect dataset are held against their targets. */
export const sampleScorers = ['includes', 'match', 'match_exact', 'model_graded_qa'] as const

const registryName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

export const SuiteImport = z
  .object({
    suite: TaskSuite,
    tasks: z.array(z.object({ task_id: z.string(), name: z.string(), title: z.string() })),
    refused: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .meta({ description: 'What cannot be run here as it was meant, and why.' }),
  })
  .meta({ id: 'SuiteImport' })
export type SuiteImport = z.infer<typeof SuiteImport>

export const suiteExchangeRoutes = routes({
  exportSuiteHarbor: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/harbor.tar.gz',
    tag: 'Suites',
    summary:
      'The suite as a Harbor dataset: a folder for each task, with the service as a sidecar and a separate verifier.',
    scope: 'suites:read',
    params: z.object({ suiteId: z.string() }),
    query: z.object({
      organization: z
        .string()
        .max(60)
        .regex(registryName, 'must be letters, digits, dots, dashes and underscores')
        .default('diorama')
        .meta({ description: 'The first part of the names that the tasks have in a registry.' }),
      oracle: z.string().max(250).optional().meta({
        description: 'A registered agent of the kind command that passes the tasks, as name@version.',
      }),
      skip: queryBoolean.optional().meta({
        description: 'Leave out tasks that Harbor has no form for; otherwise nothing is exported.',
      }),
    }),
    gives: 'application/gzip',
    errors: ['not_found', 'invalid_reference', 'conflict'],
  },
  importSuite: {
    method: 'POST',
    path: '/v1/task-suites/import',
    tag: 'Suites',
    summary: 'Make a suite of the tasks of another tool: Harbor folders, promptfoo tests, Inspect samples.',
    scope: 'suites:write',
    query: z.object({
      format: z.enum(importFormats).meta({
        description:
          'harbor: a .tar.gz of a task folder or a dataset. promptfoo: a configuration or a list of tests, YAML or JSON. inspect: samples as JSON Lines, JSON or YAML.',
      }),
      name: z.string().min(1).max(200).optional().meta({ description: 'Of the suite.' }),
      scorer: z.enum(sampleScorers).default('includes').meta({
        description: 'Of Inspect samples: how answers are held against the targets.',
      }),
    }),
    takes: [
      'application/gzip',
      'application/x-gzip',
      'application/octet-stream',
      'application/yaml',
      'application/jsonl',
      'application/json',
      'text/plain',
    ],
    bodyLimit: 'bundle',
    status: 201,
    reply: SuiteImport,
    errors: [
      'invalid_bundle',
      'invalid_blueprint',
      'capacity_exceeded',
      'too_large',
      'unsupported_media_type',
    ],
  },
})
