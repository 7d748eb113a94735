import { z } from 'zod'
import { AgentDependencies, InstalledDependencies } from './agent-dependencies.ts'
import { AgentListen } from './agent-listen.ts'
import { SecretName } from './agent-secrets.ts'
import { PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'

/** Words that are used elsewhere in a path or in `name@…`, and so cannot be names. */
const takenNames = ['runs', 'register']
const takenVersions = ['current']

export const AgentName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/,
    'must have 1 to 120 letters, digits, dots, dashes or underscores',
  )
  .refine((name) => !takenNames.includes(name), 'is a word that the service keeps for itself; choose another')

export const AgentVersionName = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}._+:~-]{0,119}$/u,
    'must have 1 to 120 letters, digits or . _ + : ~ -, and start with a letter or digit',
  )
  .refine((version) => !takenVersions.includes(version), 'is a word that the service keeps for itself')

/** `name`, `name@version` or `name@current`. */
export const AgentReference = z.string().min(1).max(250)

export const AgentStatus = z.enum(['current', 'stable', 'draft', 'deprecated'])
export type AgentStatus = z.infer<typeof AgentStatus>

export const AgentModel = z
  .object({ provider: z.string().min(1).max(60), id: z.string().min(1).max(200) })
  .meta({ id: 'AgentModel' })
export type AgentModel = z.infer<typeof AgentModel>

export const AgentTool = z
  .object({
    name: z.string().min(1).max(200),
    description: z.string().max(20_000).default(''),
    input_schema: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'AgentTool' })
export type AgentTool = z.infer<typeof AgentTool>

const Command = z
  .union([z.string().min(1).max(20_000), z.array(z.string().max(20_000)).min(1).max(200)])
  .meta({ description: 'A shell line, or an argument vector that is run without a shell.' })

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not a name of a variable')

/** The ways in which an agent can come. */
export const agentKinds = ['command', 'image', 'http', 'a2a', 'acp', 'chat'] as const
export type AgentKind = (typeof agentKinds)[number]

export const AgentRunSpec = z
  .object({
    kind: z.enum(agentKinds).optional().meta({
      description:
        'command (when left out): a command in the sandbox. image: an OCI image in the sandbox, uploaded as the bundle or named in `image`. acp: a command that speaks the Agent Client Protocol on its standard input and output. http and a2a: an agent that already runs, at `url`. chat: the model of the version, driven by the service with the tools of the world.',
    }),
    command: Command.optional().meta({
      description:
        'Of the kinds command and acp; of the kind image, instead of what the image itself starts.',
    }),
    image: z
      .string()
      .regex(
        /^[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?$/,
        'must be a name of lower-case parts, with a tag after a colon where there are several',
      )
      .max(300)
      .optional()
      .meta({
        description:
          'Of the kind image: which image of the bundle, where it holds several; without a bundle, one that the deployment has (DIORAMA_IMAGES).',
      }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .meta({
        description: 'Of the kinds http and a2a; its origin must be one that the deployment allows.',
      }),
    bearer_secret: SecretName.optional().meta({
      description: 'Of the kinds http and a2a: the secret that is sent to the agent as bearer token.',
    }),
    max_turns: z.int().min(1).max(200).optional().meta({
      description: 'Of the kind chat: how often the model is asked at most; 40 when left out.',
    }),
    timeout_seconds: z.int().min(1).max(3_600).default(600),
    env: z.record(variableName, z.string().max(20_000)).default({}).meta({
      description:
        'Variables of the agent. Stored encrypted; keys without agents:write see `(hidden)` for each value.',
    }),
    secrets: z.record(variableName, SecretName).optional().meta({
      description: 'Variables that get the value of a secret, by its name; see /v1/secrets.',
    }),
    network: z.enum(['world', 'none']).default('world'),
    dependencies: AgentDependencies.optional().meta({
      description:
        'Of the kinds command and acp: what the service installs once, before any trial, from the lock files among the files: npm from package.json and package-lock.json, pip from a requirements.txt with hashes. The deployment must allow it (DIORAMA_PACKAGE_REGISTRIES).',
    }),
    install_scripts: z.boolean().optional().meta({
      description:
        "With `dependencies`: whether packages may run their own programs while they are installed (npm's install scripts, pip's builds of source distributions). Not when left out.",
    }),
    listen: AgentListen.optional().meta({
      description: 'Of the kind command: the agent waits to be called by the services of its world.',
    }),
  })
  .meta({ id: 'AgentRunSpec', description: 'How the agent is started in a trial and in a chat.' })
export type AgentRunSpec = z.infer<typeof AgentRunSpec>

const Digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal')
const Metadata = z.record(z.string(), z.unknown())

export const AgentRegister = z
  .object({
    name: AgentName,
    version: AgentVersionName,
    framework: z.string().max(120).nullable().default(null),
    model: AgentModel.nullable().default(null),
    instructions: z.string().max(500_000).default(''),
    tools: z.array(AgentTool).max(500).default([]),
    status: AgentStatus.default('current'),
    description: z.string().max(10_000).optional(),
    metadata: Metadata.default({}).meta({
      description: 'Such as owner, environment, purpose. Editable later.',
    }),
    run: AgentRunSpec.nullable().default(null),
    run_command: Command.optional().meta({ description: 'Short for run.command.' }),
    files: z.record(z.string(), z.string()).default({}).meta({
      description: 'The files of a small agent, by their path. At most 200 files and 1 MiB.',
    }),
    bundle_sha256: Digest.nullable()
      .default(null)
      .meta({ description: 'The digest of the bundle that will be uploaded, where it is known already.' }),
  })
  .meta({ id: 'AgentRegister' })
export type AgentRegister = z.infer<typeof AgentRegister>

export const RunStats = z
  .object({
    count: z.int().meta({ description: 'Runs that have ended.' }),
    success_rate: z.number().nullable().meta({ description: 'Of the runs that succeeded or failed.' }),
    succeeded: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    p50_duration_ms: z.number().nullable().meta({ description: 'Within 5 % of the exact value.' }),
    p95_duration_ms: z.number().nullable().meta({ description: 'Within 5 % of the exact value.' }),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.number().nullable().meta({ description: "Of the runs whose model's price is configured." }),
    tool_calls: z.int(),
    tool_failures: z.int(),
  })
  .meta({ id: 'RunStats' })
export type RunStats = z.infer<typeof RunStats>

const Bundle = z.object({
  sha256: z.string(),
  size: z.int().nullable().meta({ description: 'Null until the bundle is uploaded.' }),
})

export const AgentVersionSummary = z
  .object({
    version: z.string(),
    status: AgentStatus,
    framework: z.string().nullable(),
    model: AgentModel.nullable(),
    tools: z.array(AgentTool),
    content_sha256: z.string(),
    created_at: Timestamp,
    runs: RunStats,
  })
  .meta({ id: 'AgentVersionSummary' })
export type AgentVersionSummary = z.infer<typeof AgentVersionSummary>

export const AgentVersion = AgentVersionSummary.extend({
  name: z.string(),
  reference: z.string().meta({ description: 'name@version' }),
  instructions: z.string(),
  run: AgentRunSpec.nullable(),
  files: z.record(z.string(), z.string()),
  bundle: Bundle.nullable(),
  dependencies: InstalledDependencies.nullable().meta({
    description: 'Of a version with `run.dependencies`, once its lock files are there.',
  }),
}).meta({ id: 'AgentVersion' })
export type AgentVersion = z.infer<typeof AgentVersion>

export const AgentSummary = z
  .object({
    name: z.string(),
    description: z.string(),
    metadata: Metadata,
    current_version: z.string().nullable(),
    version_count: z.int(),
    runs: RunStats,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'AgentSummary' })
export type AgentSummary = z.infer<typeof AgentSummary>

export const Agent = AgentSummary.extend({
  versions: z.array(AgentVersionSummary).meta({
    description: 'The newest 100; the list of versions has them all.',
  }),
}).meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentUpdate = z
  .object({
    description: z.string().max(10_000).optional(),
    owner: z.string().max(1_000).nullable().optional(),
    environment: z.string().max(1_000).nullable().optional(),
    purpose: z.string().max(10_000).nullable().optional(),
    metadata: Metadata.optional().meta({
      description: 'Merged into what is there; null takes a field away.',
    }),
  })
  .meta({ id: 'AgentUpdate' })
export type AgentUpdate = z.infer<typeof AgentUpdate>

const agentParams = z.object({ name: z.string() })
const versionParams = z.object({ name: z.string(), version: z.string() })

export const agentRoutes = routes({
  registerAgent: {
    method: 'POST',
    path: '/v1/agents/register',
    tag: 'Agents',
    summary: 'Register a version: 201 when it is new, 200 when it was there with the same content.',
    scope: 'agents:write',
    body: AgentRegister,
    status: 201,
    otherStatus: 200,
    reply: AgentVersion,
    creates: true,
    errors: ['conflict', 'not_configured', 'sandbox_denied'],
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'List agents, newest first.',
    scope: 'agents:read',
    query: PageQuery,
    reply: pageOf(AgentSummary),
    errors: ['invalid_cursor'],
  },
  readAgent: {
    method: 'GET',
    path: '/v1/agents/{name}',
    tag: 'Agents',
    summary: 'Read an agent with its versions and the statistics of its runs.',
    scope: 'agents:read',
    params: agentParams,
    reply: Agent,
    errors: ['not_found'],
  },
  updateAgent: {
    method: 'PATCH',
    path: '/v1/agents/{name}',
    tag: 'Agents',
    summary: 'Change the description, the owner and other metadata; fields left out stay as they are.',
    scope: 'agents:write',
    params: agentParams,
    body: AgentUpdate,
    reply: Agent,
    errors: ['not_found'],
  },
  listAgentVersions: {
    method: 'GET',
    path: '/v1/agents/{name}/versions',
    tag: 'Agents',
    summary: 'List the versions of an agent, newest first.',
    scope: 'agents:read',
    params: agentParams,
    query: PageQuery,
    reply: pageOf(AgentVersionSummary),
    errors: ['not_found', 'invalid_cursor'],
  },
  readAgentVersion: {
    method: 'GET',
    path: '/v1/agents/{name}/versions/{version}',
    tag: 'Agents',
    summary: 'Read one version, whole; the version can be `current`.',
    scope: 'agents:read',
    params: versionParams,
    reply: AgentVersion,
    errors: ['not_found'],
  },
  updateAgentVersion: {
    method: 'PATCH',
    path: '/v1/agents/{name}/versions/{version}',
    tag: 'Agents',
    summary: 'Change the status of a version. Its content never changes; a former current becomes stable.',
    scope: 'agents:write',
    params: versionParams,
    body: z.object({ status: AgentStatus }).meta({ id: 'AgentVersionUpdate' }),
    reply: AgentVersion,
    errors: ['not_found'],
  },
  uploadAgentBundle: {
    method: 'PUT',
    path: '/v1/agents/{name}/versions/{version}/bundle',
    tag: 'Agents',
    summary: "The agent's files as a .tar.gz, once: 201 when it is stored, 200 when the same was there.",
    scope: 'agents:write',
    params: versionParams,
    takes: ['application/gzip', 'application/x-gzip', 'application/octet-stream'],
    bodyLimit: 'bundle',
    status: 201,
    otherStatus: 200,
    reply: AgentVersion,
    errors: ['not_found', 'conflict', 'too_large', 'invalid_bundle', 'unsupported_media_type'],
  },
  readAgentBundle: {
    method: 'GET',
    path: '/v1/agents/{name}/versions/{version}/bundle',
    tag: 'Agents',
    summary: 'The bundle as it was uploaded.',
    scope: 'agents:read',
    params: versionParams,
    gives: 'application/gzip',
    errors: ['not_found'],
  },
})
