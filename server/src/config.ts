import { type PackageManager, packageManagers } from '@diorama/contract/agent-dependencies'
import { z } from 'zod'
import { BadConfiguration } from './bad-configuration.ts'
import { isAddressRule } from './deliveries/address-rules.ts'
import type { CertificateFiles } from './http/tls/certificates.ts'
import { certificateFiles, objectStore, twinOrigin } from './joint-settings.ts'
import type { ObjectStoreSettings } from './storage/objects/object-store.ts'
import { parseEncryptionKey } from './storage/secrets/encryption-keys.ts'

const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'])
  .transform((text) => ['true', '1', 'on'].includes(text))
const count = (fallback: number, min = 1, max = 1_000_000_000) =>
  z.coerce.number().int().min(min).max(max).default(fallback)

/** Texts with commas between. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((one) => one.trim().toLowerCase() || []))

/** A JSON object in a variable; empty when it is not set. */
const json = <S extends z.ZodType<object>>(schema: S) =>
  z
    .string()
    .default('{}')
    .transform((text, context) => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON object' })
        return z.NEVER
      }
    })
    .pipe(schema)

/** The environment, read once by `main.ts`. An empty variable counts as one that is not set. */
const Environment = z.object({
  PORT: count(4400, 0, 65_535),
  HOST: z.string().default('127.0.0.1'),
  /** Where twins are called by gRPC, without TLS; not at all when it is not set. */
  DIORAMA_GRPC_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** A certificate and its key, as PEM files: the service listens with TLS. They are read again when they change. */
  DIORAMA_TLS_CERT_FILE: z.string().optional(),
  DIORAMA_TLS_KEY_FILE: z.string().optional(),
  /** Who signs the certificates of the nodes; each of them must then show one to the others. */
  DIORAMA_TLS_CA_FILE: z.string().optional(),
  DIORAMA_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Where browsers and clients reach twins, apart from the console: a scheme and its own host name. */
  DIORAMA_TWIN_ORIGIN: z.url({ protocol: /^https?$/ }).optional(),
  /** Where the other nodes reach this one, such as http://node-1.internal:4400. */
  DIORAMA_ADVERTISE_URL: z.url({ protocol: /^https?$/ }).optional(),
  DIORAMA_DATA_DIR: z.string().default('.diorama'),
  DATABASE_URL: z.string().optional(),
  /** How long a node that is asked to end goes on answering, while load balancers learn of it. */
  DIORAMA_DRAIN_DELAY_SECONDS: z.coerce.number().min(0).max(600).default(0),
  /** A bucket for large contents, such as bundles and artifacts; the database keeps them when it is not set. */
  DIORAMA_S3_BUCKET: z
    .string()
    .regex(/^[\w.-]{3,255}$/, 'must be the name of a bucket')
    .optional(),
  DIORAMA_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  DIORAMA_S3_REGION: z.string().default('us-east-1'),
  DIORAMA_S3_PREFIX: z
    .string()
    .regex(/^[\w!.*'()/-]*$/, "must consist of letters, digits and the characters !-_.*'()/")
    .default(''),
  DIORAMA_S3_ACCESS_KEY_ID: z.string().optional(),
  DIORAMA_S3_SECRET_ACCESS_KEY: z.string().optional(),
  DIORAMA_ROLES: z
    .string()
    .default('api,twins,worker')
    .transform((text) => text.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(['api', 'twins', 'worker']))),
  DIORAMA_API_KEY: z
    .string()
    .regex(/^dk_[\w-]{32,}$/, 'must be dk_ and at least 32 letters, digits, dashes or underscores')
    .optional(),
  /** What secrets are encrypted with at rest: 32 bytes in base64 or hexadecimal. Older keys follow after commas. */
  DIORAMA_ENCRYPTION_KEY: z
    .string()
    .default('')
    .transform((text, context) =>
      text.split(',').flatMap((one) => {
        if (one.trim() === '') return []
        const key = parseEncryptionKey(one.trim())
        if (key) return [key]
        context.addIssue({ code: 'custom', message: 'must be 32 bytes in base64 (openssl rand -base64 32)' })
        return []
      }),
    ),
  /** How many threads run twins; 0 runs them in the main thread. */
  DIORAMA_TWIN_ISOLATES: count(2, 0, 64),
  /** The heap of one of them, in MiB. */
  DIORAMA_TWIN_ISOLATE_MB: count(768, 64, 65_536),
  /** How long one request may hold one of them. */
  DIORAMA_TWIN_TIMEOUT_MS: count(5_000, 100, 600_000),
  DIORAMA_SANDBOX: z.enum(['auto', 'bubblewrap', 'process']).default('auto'),
  DIORAMA_SANDBOX_CGROUP: z
    .string()
    .regex(/^(auto|off|\/.+)$/, 'must be auto, off or the absolute path of a control group')
    .default('auto'),
  /** The program that runs agents that are images: the first of crun and runc that works, or the one that is named. */
  DIORAMA_IMAGE_RUNTIME: z.enum(['auto', 'crun', 'runc', 'runsc']).default('auto'),
  /** A folder with images that agents may name: OCI layouts and archives. */
  DIORAMA_IMAGES: z.string().min(1).optional(),
  /** Where packages of agents are installed from: `npm=https://…`, `pip=https://…/simple`. Nothing is when not set. */
  DIORAMA_PACKAGE_REGISTRIES: z
    .string()
    .default('')
    .transform((text, context) =>
      Object.fromEntries(
        text.split(',').flatMap((one): [PackageManager, string][] => {
          if (one.trim() === '') return []
          const [, manager, url = ''] = /^\s*(\w+)=(\S+)\s*$/.exec(one) ?? []
          const known = packageManagers.find((name) => name === manager)
          const origin = URL.parse(url)
          if (known && origin && /^https?:$/.test(origin.protocol) && !origin.search)
            return [[known, url.replace(/\/+$/, '')]]
          const message = `must be ${packageManagers.map((name) => `${name}=https://…`).join(' or ')}, with commas between`
          context.addIssue({ code: 'custom', message })
          return []
        }),
      ),
    ),
  /** What the installed packages of one organization may take; the ones that were not used for longest go first. */
  DIORAMA_DEPENDENCY_QUOTA_BYTES: count(2_048 * 1_048_576, 1_048_576, 1_099_511_627_776),
  DIORAMA_BODY_LIMIT_BYTES: count(8 * 1_048_576),
  DIORAMA_TWIN_BODY_LIMIT_BYTES: count(64 * 1_048_576),
  DIORAMA_BUNDLE_LIMIT_BYTES: count(64 * 1_048_576),
  /** The most that one import of a dataset may send, and unpack to. */
  DIORAMA_DATASET_LIMIT_BYTES: count(2_048 * 1_048_576, 1_048_576, 1_099_511_627_776),
  DIORAMA_MAX_BODY_BYTES_IN_FLIGHT: count(512 * 1_048_576, 1_048_576, 1_099_511_627_776),
  DIORAMA_WORKER_SLOTS: count(32, 1, 256),
  /** Requests that one trial may make; an agent that makes more is stopped and fails the trial. */
  DIORAMA_TRIAL_MAX_REQUESTS: count(10_000, 1, 100_000),
  /** Hosts that agents may reach beside their world, such as model endpoints: `host` or `host=origin`. */
  DIORAMA_AGENT_HOSTS: list,
  DIORAMA_OUTSIDE_AGENTS: list,
  /** Where twins outside trials may deliver to: `public`, host names, addresses, ranges. Private ones must be named. */
  DIORAMA_DELIVERY_ALLOW: z
    .string()
    .default('public')
    .transform((text) => text.split(',').flatMap((rule) => rule.trim().toLowerCase() || []))
    .pipe(
      z.array(
        z
          .string()
          .refine(isAddressRule, { error: 'must be public, a host name, an address or a range each' }),
      ),
    ),
  DIORAMA_DELIVERY_BACKLOG: count(30_000, 1, 1_000_000),
  DIORAMA_CHECK_REPLIES: flag.default(false),
  DIORAMA_LOG: z.enum(['all', 'warnings', 'none']).default('all'),
  DIORAMA_JUDGE_MODEL: z.string().optional(),
  DIORAMA_EMBEDDINGS: z.enum(['local', 'openai-compatible', 'off']).default('local'),
  DIORAMA_EMBEDDING_MODEL: z.string().default('text-embedding-3-small'),
  DIORAMA_EVENT_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.string().optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.string().optional(),
  GEMINI_API_KEY: z.string().optional(),
  GEMINI_BASE_URL: z.string().optional(),
  DIORAMA_MODEL_PROVIDERS: json(
    z.record(
      z.string(),
      z.strictObject({
        wire: z.enum(['openai', 'anthropic', 'gemini']).default('openai'),
        base_url: z.url({ protocol: /^https?$/ }),
        api_key: z.string().min(1).optional(),
      }),
    ),
  ),
  DIORAMA_MODEL_PRICES: json(
    z.record(
      z.string(),
      z.strictObject({
        input: z.number().min(0),
        output: z.number().min(0),
        cached_input: z.number().min(0).optional(),
      }),
    ),
  ),
  DIORAMA_MODEL_TIMEOUT_SECONDS: count(120, 1, 3_600),
  /** Models that agents in trials may call with the keys of this environment: `provider/id` with * as a wildcard. */
  DIORAMA_AGENT_MODELS: list,
  /**
   * The rule for base URLs that organizations set: https, without credentials, and a host that resolves to public
   * addresses alone, checked again at every connection; redirects are not followed. Hosts named here are exempt.
   */
  DIORAMA_MODEL_PRIVATE_HOSTS: list,
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
})
type Environment = z.infer<typeof Environment>

export interface TwinIsolates {
  readonly count: number
  readonly maxHeapMb: number
  readonly maxOpMs: number
  /** A module that exports `allTwins`. */
  readonly twinsModule: string
}

export interface Config {
  readonly host: string
  readonly port: number
  readonly grpcPort: number | undefined
  /** Files of the certificate that the service listens with; without TLS when not set. */
  readonly tls: CertificateFiles | undefined
  /** The public URL in records and replies; from host and port when not set. */
  readonly baseUrl: string | undefined
  /** The origin that twins alone are served on; that of `baseUrl` when not set. */
  readonly twinOrigin: string | undefined
  /** Where the other nodes reach this one; detected when not set. */
  readonly advertiseUrl: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** How long it answers after it was asked to end; `/readyz` refuses meanwhile. */
  readonly drainDelayMs: number
  /** The bucket for large contents; the database keeps them when not set. */
  readonly objectStore: ObjectStoreSettings | undefined
  readonly roles: readonly ('api' | 'twins' | 'worker')[]
  readonly apiKey: string | undefined
  /** The current one first; none to keep one in the data folder. */
  readonly encryptionKeys: readonly Uint8Array[]
  /** The threads that run twins; undefined to run them in the main thread. */
  readonly twinIsolates: TwinIsolates | undefined
  readonly sandbox: 'auto' | 'bubblewrap' | 'process'
  readonly sandboxControlGroup: string
  readonly imageRuntime: 'auto' | 'crun' | 'runc' | 'runsc'
  /** A folder with images that agents may name; none when not set. */
  readonly imageFolder: string | undefined
  /** Where packages of agents are installed from, by package manager. */
  readonly packageRegistries: Readonly<Partial<Record<PackageManager, string>>>
  /** What the installed packages of one organization may take. */
  readonly dependencyQuotaBytes: number
  readonly bodyLimitBytes: number
  readonly twinBodyLimitBytes: number
  readonly bundleLimitBytes: number
  readonly datasetLimitBytes: number
  /** Request bodies of all callers together that this process holds in memory. */
  readonly maxBodyBytesInFlight: number
  /** How many trials this process runs at once. */
  readonly workerSlots: number
  readonly trialMaxRequests: number
  readonly agentHosts: readonly string[]
  /** Origins at which trials may call agents that run outside the sandbox. */
  readonly outsideAgents: readonly string[]
  /** Where deliveries outside trials may go. */
  readonly deliveryAllow: readonly string[]
  /** Of deliveries that wait for one receiver. */
  readonly deliveryBacklog: number
  readonly checkReplies: boolean
  readonly log: 'all' | 'warnings' | 'none'
  readonly judgeModel: string | undefined
  readonly embeddings: 'local' | 'openai-compatible' | 'off'
  /** The model that an openai-compatible endpoint is asked for. */
  readonly embeddingModel: string
  /** How long events are kept where an organization does not say; forever when not set. */
  readonly eventRetentionDays: number | undefined
  readonly providers: {
    readonly openai: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined }
    readonly anthropic: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined }
    readonly gemini?: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined }
  }
  readonly models: {
    /** Endpoints beside the two above, by the name that agents give as their provider. */
    readonly providers: Environment['DIORAMA_MODEL_PROVIDERS']
    /** US dollars for a million tokens, by `provider/id` or `id`. */
    readonly prices: Environment['DIORAMA_MODEL_PRICES']
    readonly timeoutMs: number
    /** What agents may call with the keys of the environment. */
    readonly forAgents?: readonly string[]
    /** Hosts of base URLs that may be private, or be reached without TLS. */
    readonly privateHosts?: readonly string[]
  }
  /** Where interpreters are looked for. */
  readonly searchPath: string
}

export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(set)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new BadConfiguration(faults.join('\n'))
  }
  return toConfig(parsed.data)
}

const toConfig = (env: Environment): Config => ({
  host: env.HOST,
  port: env.PORT,
  grpcPort: env.DIORAMA_GRPC_PORT,
  tls: certificateFiles(env),
  baseUrl: env.DIORAMA_BASE_URL?.replace(/\/+$/, ''),
  twinOrigin: twinOrigin(env),
  advertiseUrl: env.DIORAMA_ADVERTISE_URL?.replace(/\/+$/, ''),
  dataDir: env.DIORAMA_DATA_DIR,
  databaseUrl: env.DATABASE_URL,
  drainDelayMs: env.DIORAMA_DRAIN_DELAY_SECONDS * 1_000,
  objectStore: objectStore(env),
  roles: env.DIORAMA_ROLES,
  apiKey: env.DIORAMA_API_KEY,
  encryptionKeys: env.DIORAMA_ENCRYPTION_KEY,
  twinIsolates: twinIsolates(env),
  sandbox: env.DIORAMA_SANDBOX,
  sandboxControlGroup: env.DIORAMA_SANDBOX_CGROUP,
  imageRuntime: env.DIORAMA_IMAGE_RUNTIME,
  imageFolder: env.DIORAMA_IMAGES,
  packageRegistries: env.DIORAMA_PACKAGE_REGISTRIES,
  dependencyQuotaBytes: env.DIORAMA_DEPENDENCY_QUOTA_BYTES,
  bodyLimitBytes: env.DIORAMA_BODY_LIMIT_BYTES,
  twinBodyLimitBytes: env.DIORAMA_TWIN_BODY_LIMIT_BYTES,
  bundleLimitBytes: env.DIORAMA_BUNDLE_LIMIT_BYTES,
  datasetLimitBytes: env.DIORAMA_DATASET_LIMIT_BYTES,
  maxBodyBytesInFlight: env.DIORAMA_MAX_BODY_BYTES_IN_FLIGHT,
  workerSlots: env.DIORAMA_WORKER_SLOTS,
  trialMaxRequests: env.DIORAMA_TRIAL_MAX_REQUESTS,
  agentHosts: env.DIORAMA_AGENT_HOSTS,
  outsideAgents: env.DIORAMA_OUTSIDE_AGENTS.map(originOf),
  deliveryAllow: env.DIORAMA_DELIVERY_ALLOW,
  deliveryBacklog: env.DIORAMA_DELIVERY_BACKLOG,
  checkReplies: env.DIORAMA_CHECK_REPLIES,
  log: env.DIORAMA_LOG,
  judgeModel: env.DIORAMA_JUDGE_MODEL,
  embeddings: env.DIORAMA_EMBEDDINGS,
  embeddingModel: env.DIORAMA_EMBEDDING_MODEL,
  eventRetentionDays: env.DIORAMA_EVENT_RETENTION_DAYS,
  providers: {
    openai: { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL },
    anthropic: { apiKey: env.ANTHROPIC_API_KEY, baseUrl: env.ANTHROPIC_BASE_URL },
    gemini: { apiKey: env.GEMINI_API_KEY, baseUrl: env.GEMINI_BASE_URL },
  },
  models: {
    providers: env.DIORAMA_MODEL_PROVIDERS,
    prices: env.DIORAMA_MODEL_PRICES,
    timeoutMs: env.DIORAMA_MODEL_TIMEOUT_SECONDS * 1_000,
    forAgents: env.DIORAMA_AGENT_MODELS,
    privateHosts: env.DIORAMA_MODEL_PRIVATE_HOSTS,
  },
  searchPath: env.PATH,
})

const twinIsolates = (env: Environment): TwinIsolates | undefined =>
  env.DIORAMA_TWIN_ISOLATES === 0
    ? undefined
    : {
        count: env.DIORAMA_TWIN_ISOLATES,
        maxHeapMb: env.DIORAMA_TWIN_ISOLATE_MB,
        maxOpMs: env.DIORAMA_TWIN_TIMEOUT_MS,
        twinsModule: import.meta.resolve('@diorama/twins'),
      }

const originOf = (text: string): string => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || (url.pathname !== '/' && url.pathname !== ''))
    throw new BadConfiguration(`DIORAMA_OUTSIDE_AGENTS: ${text} must be a scheme and a host, without a path`)
  return url.origin
}

/** A host outside the world that agents may reach, and where its requests are sent. */
export interface AllowedHost {
  readonly kind: 'forward'
  readonly origin: string
  readonly allowPrivate?: boolean
}

/** The hosts of the deployment, and those of an organization; only an origin that the deployment names may be private. */
export const allowedHosts = (
  { agentHosts }: Pick<Config, 'agentHosts'>,
  ofOrganization: readonly string[],
): ReadonlyMap<string, AllowedHost> => {
  const isPublic = (host: string): [string, AllowedHost] => [
    host,
    { kind: 'forward', origin: `https://${host}` },
  ]
  const ofDeployment = agentHosts.map((one): [string, AllowedHost] => {
    const [host = one, origin] = one.split('=')
    return origin === undefined ? isPublic(host) : [host, { kind: 'forward', origin, allowPrivate: true }]
  })
  return new Map([...ofOrganization.map(isPublic), ...ofDeployment])
}

/** Where clients reach the twins: at their separate origin where the deployment has one. */
export const twinBaseUrl = ({ twinOrigin }: Pick<Config, 'twinOrigin'>, baseUrl: string): string =>
  twinOrigin ?? baseUrl
