import data from '../data/methods.generated.json' with { type: 'json' }
import { lookup } from '../values/records.ts'

/** What is publicly known of one method. Arguments are `type`, `*` when required, `=` and the default. */
export interface MethodFacts {
  readonly http: string
  readonly json: boolean
  /** How often it may be called: tiers 1 to 4, or 5 for its own limit. */
  readonly tier: number
  readonly bot: readonly string[]
  readonly user: readonly string[]
  readonly args: Readonly<Record<string, string>>
  /** Bounds that the reference states for arguments. */
  readonly limits: Readonly<Record<string, ArgumentLimits>>
  readonly errors: readonly string[]
}

export interface ArgumentLimits {
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
}

/** Every public method of the service, by name. */
export const catalogue: Readonly<Record<string, MethodFacts>> = data

export const factsOf = (method: string): MethodFacts | undefined => lookup(catalogue, method)

/** Methods whose scopes a token of ours holds are those that the twin answers. */
export const scopesFor = (kind: 'bot' | 'user', methods: readonly string[]): readonly string[] => [
  ...new Set([
    ...(kind === 'bot' ? ['chat:write.public', 'chat:write.customize', 'users:read.email'] : ['identify']),
    ...methods.flatMap((method) => factsOf(method)?.[kind] ?? []),
  ]),
]

/** Errors that any method may answer with. */
export const commonErrors: ReadonlySet<string> = new Set([
  'access_denied',
  'accesslimited',
  'account_inactive',
  'deprecated_endpoint',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'fatal_error',
  'internal_error',
  'invalid_arg_name',
  'invalid_arguments',
  'invalid_array_arg',
  'invalid_auth',
  'invalid_charset',
  'invalid_form_data',
  'invalid_json',
  'invalid_post_type',
  'is_bot',
  'json_not_object',
  'method_deprecated',
  'missing_post_type',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'org_login_required',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
  'token_expired',
  'token_revoked',
  'two_factor_setup_required',
  'unknown_method',
])
