import { AgentDependencies } from '@diorama/contract/agent-dependencies'
import { z } from 'zod'

const path = z.string().min(1)

const Scorer = z
  .strictObject({
    name: z.string().min(1).max(200),
    file: path.optional().meta({ description: 'A .py or .ts file with the code of the scorer.' }),
    code: z.string().optional().meta({ description: 'The code itself; needs `language`.' }),
    language: z.enum(['python', 'typescript']).optional().meta({ description: 'The language of `code`.' }),
    prompt: z
      .string()
      .optional()
      .meta({ description: 'The prompt of a model that judges the result, instead of code.' }),
    choices: z
      .record(z.string(), z.number().min(0).max(1))
      .optional()
      .meta({ description: 'The answers that the judge can give, each with its score.' }),
    model: z.string().min(1).optional().meta({ description: 'The model of the judge, as provider/id.' }),
    use_cot: z.boolean().default(false).meta({ description: 'Whether the judge reasons before it answers.' }),
    allow_skip: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the judge may decline to give a score.' }),
    pass_threshold: z.number().min(0).max(1).nullable().default(1),
    weight: z.enum(['low', 'med', 'high']).default('med'),
  })
  .meta({ description: 'Code in a file, code here, or a prompt for a judge.' })

const Task = z.strictObject({
  title: z.string().min(1).max(200),
  instruction: z.string().min(1).meta({ description: 'What the agent is asked to do.' }),
  expected_outcome: z.string().min(1).default('The scorers decide.'),
  turns: z
    .strictObject({ limit: z.int().min(1).max(100), idle: z.string().optional() })
    .optional()
    .meta({ description: 'How often the command is started again when a person contacts the agent.' }),
  crowding: z.int().min(0).max(12).optional().meta({ description: 'The number of decoy MCP servers.' }),
  scorers: z.array(Scorer).min(1),
})

/** A suite in one file, as `diorama suite export` writes it and `diorama suite import` reads it. */
export const SuiteFile = z
  .strictObject({
    name: z.string().min(1).max(200),
    description: z.string().max(10_000).optional(),
    unasked_changes: z.enum(['fail', 'warn', 'ignore']).optional().meta({
      description: 'What happens to a trial in which the agent made changes that no scorer accounts for.',
    }),
    tasks: z.array(Task).max(500),
  })
  .meta({ title: 'Diorama suite' })
export type SuiteFile = z.infer<typeof SuiteFile>

const Agent = z
  .strictObject({
    folder: path.optional().meta({
      description: "The folder with the agent's files, which are registered before the evaluation.",
    }),
    run: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'The shell command that starts the agent in its folder.' }),
    name: z.string().min(1).optional().meta({ description: 'If omitted: the name of the folder.' }),
    version: z.string().min(1).optional().meta({
      description:
        'If omitted: the version in the package.json of the folder, or else a digest of its files and settings.',
    }),
    timeout_seconds: z.int().min(1).max(3_600).optional(),
    env: z.record(z.string(), z.string()).optional(),
    network: z.enum(['world', 'none']).optional(),
    dependencies: AgentDependencies.optional().meta({
      description:
        'Package managers whose lock files in the folder the service installs before the evaluation: npm, pip.',
    }),
    install_scripts: z.boolean().optional().meta({
      description: 'Whether packages may run install scripts.',
    }),
    reference: z.string().min(1).optional().meta({ description: 'A registered agent: name@version.' }),
    baseline: z.boolean().optional().meta({
      description: 'The other agents are compared with this one, which does not have to pass.',
    }),
  })
  .meta({
    description: 'A folder with the command that starts the agent, or a reference to a registered agent.',
  })

const World = z
  .strictObject({
    sample: z.literal(true).optional().meta({ description: 'The sample company.' }),
    blueprint: path.optional().meta({ description: 'A blueprint file, JSON or YAML.' }),
  })
  .meta({ description: 'The company in which the tasks take place: one of its two fields.' })

/** An evaluation in one file. What it means is in docs/evaluation-file.md. */
export const EvaluationFile = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).max(200).optional(),
    world: World.optional(),
    suite: z.string().min(1).optional().meta({
      description: 'The name or id of an existing suite, instead of a world.',
    }),
    tasks: z.array(Task).min(1).max(500).optional().meta({
      description: 'Tasks to run instead of those in the blueprint.',
    }),
    agents: z.array(Agent).min(1).max(20),
    repeats: z
      .int()
      .min(1)
      .max(20)
      .default(1)
      .meta({ description: 'The number of trials of each agent and task.' }),
    concurrency: z.int().min(1).max(32).optional(),
    gate: z.boolean().default(true).meta({
      description:
        'Whether the exit status is the verdict: 0 pass, 1 fail, 2 inconclusive. If false, it is 0 after any evaluation.',
    }),
    budget: z
      .strictObject({
        cost_usd_per_trial: z.number().positive().optional(),
        tokens_per_trial: z.int().min(1).optional(),
      })
      .optional()
      .meta({ description: "Limits on the agent's model calls in each trial." }),
    junit: path.optional().meta({ description: 'A file for the results as JUnit XML.' }),
  })
  .meta({ title: 'Diorama evaluation', description: 'An evaluation, run with `diorama run`.' })
export type EvaluationFile = z.infer<typeof EvaluationFile>
export type PlannedTask = z.infer<typeof Task>
export type PlannedScorer = z.infer<typeof Scorer>

/** For editors: `diorama run --schema`. */
export const evaluationSchema = (): object => z.toJSONSchema(EvaluationFile, { io: 'input' })
