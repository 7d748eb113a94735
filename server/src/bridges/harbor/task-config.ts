import { z } from 'zod'
import { readToml } from './toml/read.ts'
import { TomlFault } from './toml/values.ts'

const variables = z.record(z.string(), z.string())
const NetworkMode = z.enum(['public', 'no-network', 'allowlist'])
const policy = { network_mode: NetworkMode.optional(), allowed_hosts: z.array(z.string()).optional() }
const name = /^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/

const Healthcheck = z.object({ command: z.string() })

const McpServer = z
  .object({
    name: z.string(),
    transport: z.enum(['stdio', 'sse', 'streamable-http', 'http']).default('sse'),
    url: z.string().optional(),
    command: z.string().optional(),
    args: z.array(z.string()).default([]),
    headers: variables.default({}),
  })
  .refine(({ transport, url, command }) => (transport === 'stdio' ? command : url) !== undefined, {
    message: 'has neither the url nor the command that its transport needs',
  })

const Environment = z.object({
  ...policy,
  build_timeout_sec: z.number().optional(),
  docker_image: z.string().optional(),
  os: z
    .string()
    .transform((os) => os.toLowerCase())
    .pipe(z.enum(['linux', 'windows']))
    .default('linux'),
  cpus: z.number().optional(),
  memory_mb: z.int().optional(),
  storage_mb: z.int().optional(),
  gpus: z.int().optional(),
  gpu_types: z.array(z.string()).optional(),
  tpu: z.object({ type: z.string(), topology: z.string() }).optional(),
  mcp_servers: z.array(McpServer).default([]),
  env: variables.default({}),
  skills_dir: z.string().optional(),
  healthcheck: Healthcheck.optional(),
  workdir: z.string().optional(),
  // Deprecated, and still read by Harbor.
  allow_internet: z.boolean().optional(),
  memory: z.string().optional(),
  storage: z.string().optional(),
})
export type HarborEnvironment = z.infer<typeof Environment>

const Collect = z.object({
  command: z.string(),
  service: z.string().default('main'),
  timeout_sec: z.number().default(60),
  user: z.union([z.string(), z.int()]).optional(),
})

const Artifact = z.union([
  z
    .string()
    .transform((source) => ({ source, destination: undefined, exclude: [] as string[], service: undefined })),
  z.object({
    source: z.string(),
    destination: z.string().optional(),
    exclude: z.array(z.string()).default([]),
    service: z.string().optional(),
  }),
])

/** `task.toml`, schema 1.4, as Harbor reads it: fields that it does not know are passed over. */
export const HarborTask = z
  .object({
    schema_version: z.string().optional(),
    version: z.string().optional(),
    source: z.string().optional(),
    artifacts: z.array(Artifact).default([]),
    multi_step_reward_strategy: z.enum(['mean', 'final']).optional(),
    steps: z.array(z.object({ name: z.string() })).optional(),
    task: z
      .object({
        name: z.string().refine((text) => name.test(text) && !text.includes('..'), 'must be org/name'),
        version: z.string().min(1).optional(),
        description: z.string().default(''),
        authors: z.array(z.object({ name: z.string(), email: z.string().optional() })).default([]),
        keywords: z.array(z.string()).default([]),
      })
      .optional(),
    metadata: z.record(z.string(), z.unknown()).default({}),
    environment: Environment.default(Environment.parse({})),
    agent: z
      .object({
        ...policy,
        timeout_sec: z.number().optional(),
        user: z.union([z.string(), z.int()]).optional(),
      })
      .default({}),
    verifier: z
      .object({
        ...policy,
        timeout_sec: z.number().default(600),
        env: variables.default({}),
        user: z.union([z.string(), z.int()]).optional(),
        environment_mode: z.enum(['shared', 'separate']).optional(),
        environment: Environment.optional(),
        collect: z.array(Collect).default([]),
      })
      .refine(
        ({ environment_mode, environment }) => environment_mode !== 'shared' || environment === undefined,
        {
          message: 'is shared and has a separate environment',
          path: ['environment_mode'],
        },
      )
      .default({ timeout_sec: 600, env: {}, collect: [] }),
    solution: z.object({ env: variables.default({}) }).optional(),
  })
  .superRefine(({ environment, agent, verifier }, context) => {
    const policies = { environment, agent, verifier, 'verifier.environment': verifier.environment }
    for (const [path, one] of Object.entries(policies))
      if (one?.allowed_hosts !== undefined && one.network_mode !== 'allowlist')
        context.addIssue({
          code: 'custom',
          path: [...path.split('.'), 'allowed_hosts'],
          message: 'is only for the network_mode allowlist',
        })
  })
export type HarborTask = z.infer<typeof HarborTask>

/** The configuration, or what is wrong with it, by field. */
export const readTaskConfig = (text: string): HarborTask | { readonly fault: string } => {
  try {
    const parsed = HarborTask.safeParse(readToml(text))
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    return { fault: `${issue?.path.join('.') || 'task.toml'}: ${issue?.message ?? 'cannot be read'}` }
  } catch (error) {
    if (error instanceof TomlFault) return { fault: error.message }
    throw error
  }
}
