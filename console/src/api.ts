import type { BodyOf, ErrorDetail, RouteName, RouteSpec, Routes } from '@diorama/contract'

type Place<K extends RouteName> = readonly [Routes[K]['method'], Routes[K]['path']]

/** The operations that the console uses. Each is checked against the contract when the console is compiled. */
const operations = {
  readMe: ['GET', '/v1/me'],
  listApiKeys: ['GET', '/v1/api-keys'],
  createApiKey: ['POST', '/v1/api-keys'],
  revokeApiKey: ['DELETE', '/v1/api-keys/{keyId}'],
  readyz: ['GET', '/readyz'],
  listWorlds: ['GET', '/v1/builder/worlds'],
  launchWorld: ['POST', '/v1/builder/worlds'],
  validateBlueprint: ['POST', '/v1/builder/worlds/validate'],
  readBlueprintSchema: ['GET', '/v1/builder/blueprint.schema.json'],
  readSampleBlueprint: ['GET', '/v1/builder/blueprint.sample.json'],
  readWorld: ['GET', '/v1/builder/worlds/{worldId}'],
  listWorldVersions: ['GET', '/v1/builder/worlds/{worldId}/versions'],
  listWorldActivity: ['GET', '/v1/builder/worlds/{worldId}/activity'],
  diffWorld: ['GET', '/v1/builder/worlds/{worldId}/diff'],
  resetWorld: ['POST', '/v1/builder/worlds/{worldId}/reset'],
  stopWorld: ['POST', '/v1/builder/worlds/{worldId}/stop'],
  readTwinActivity: ['GET', '/v1/twins/{twinId}/activity/{requestId}'],
  diffTwin: ['GET', '/v1/twins/{twinId}/diff'],
  readTwinState: ['GET', '/v1/twins/{twinId}/state'],
  listEnvironments: ['GET', '/v1/environments'],
  listEnvironmentVersions: ['GET', '/v1/environments/{environmentId}/versions'],
  listSuites: ['GET', '/v1/task-suites'],
  createSuite: ['POST', '/v1/task-suites'],
  readSuite: ['GET', '/v1/task-suites/{suiteId}'],
  updateSuite: ['PATCH', '/v1/task-suites/{suiteId}'],
  archiveSuite: ['DELETE', '/v1/task-suites/{suiteId}'],
  listTasks: ['GET', '/v1/task-suites/{suiteId}/tasks'],
  createTask: ['POST', '/v1/task-suites/{suiteId}/tasks'],
  deleteTask: ['DELETE', '/v1/task-suites/{suiteId}/tasks/{taskId}'],
  createTaskFromTrace: ['POST', '/v1/task-suites/{suiteId}/traces'],
  updateTask: ['PATCH', '/v1/task-suites/{suiteId}/tasks/{taskId}'],
  setTaskScorers: ['PUT', '/v1/task-suites/{suiteId}/tasks/{taskId}/scorers'],
  publishSuite: ['POST', '/v1/task-suites/{suiteId}/versions'],
  listSuiteVersions: ['GET', '/v1/task-suites/{suiteId}/versions'],
  readSuiteVersion: ['GET', '/v1/task-suites/{suiteId}/versions/{versionId}'],
  compareSuiteVersions: ['GET', '/v1/task-suites/{suiteId}/versions/{a}/compare/{b}'],
  checkSuite: ['POST', '/v1/task-suites/{suiteId}/check'],
  listScorers: ['GET', '/v1/scorers'],
  listBuiltinScorers: ['GET', '/v1/scorers/builtins'],
  createBuiltinScorer: ['POST', '/v1/scorers/builtins/{slug}'],
  createScorer: ['POST', '/v1/scorers'],
  readScorer: ['GET', '/v1/scorers/{scorerId}'],
  updateScorer: ['PUT', '/v1/scorers/{scorerId}'],
  testScorer: ['POST', '/v1/scorers/test'],
  listJobs: ['GET', '/v1/backtests/jobs'],
  startJob: ['POST', '/v1/backtests/jobs'],
  readJob: ['GET', '/v1/backtests/jobs/{jobId}'],
  cancelJob: ['POST', '/v1/backtests/jobs/{jobId}/cancel'],
  rescoreJob: ['POST', '/v1/backtests/jobs/{jobId}/rescore'],
  listTrials: ['GET', '/v1/backtests/jobs/{jobId}/trials'],
  readTrial: ['GET', '/v1/backtests/jobs/{jobId}/trials/{trialId}'],
  readResults: ['GET', '/v1/backtests/jobs/{jobId}/results'],
  listAgents: ['GET', '/v1/agents'],
  readAgent: ['GET', '/v1/agents/{name}'],
  readAgentVersion: ['GET', '/v1/agents/{name}/versions/{version}'],
  listAgentRuns: ['GET', '/v1/agents/runs'],
  startChat: ['POST', '/v1/agents/{name}/chat/sessions'],
  listChats: ['GET', '/v1/agents/{name}/chat/sessions'],
  readChat: ['GET', '/v1/agents/{name}/chat/sessions/{sessionId}'],
  sendChatMessage: ['POST', '/v1/agents/{name}/chat/sessions/{sessionId}/messages'],
  listEvents: ['GET', '/v1/events'],
  readTimeline: ['GET', '/v1/timeline/{type}/{id}'],
  search: ['POST', '/v1/search'],
  listTraces: ['GET', '/v1/traces'],
  readTrace: ['GET', '/v1/traces/{traceId}'],
} as const satisfies { readonly [K in RouteName]?: Place<K> }

export type OperationName = keyof typeof operations
export type Reply<K extends OperationName> = Routes[K] extends {
  readonly reply: { readonly _output: infer R }
}
  ? R
  : undefined
type Sent<K extends OperationName> = Routes[K] extends { readonly body: unknown }
  ? Partial<BodyOf<Routes[K] & RouteSpec>>
  : undefined

export interface Call<K extends OperationName> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: Sent<K>
  readonly signal?: AbortSignal
}

/** A refusal of the service, in its own words. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly details: readonly ErrorDetail[]
  constructor(
    status: number,
    body: Partial<{ error: string; code: string; request_id: string; details: ErrorDetail[] }>,
  ) {
    super(body.error ?? `The service answered ${status}.`)
    this.status = status
    this.code = body.code ?? 'unknown'
    this.requestId = body.request_id
    this.details = body.details ?? []
  }
}

/** Sent with every request: without it the session's cookie counts for nothing. */
export const markHeaders = { 'x-diorama-console': '1' }

export const addressOf = (
  path: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** Calls one operation of the service and gives its reply. */
export const call = async <K extends OperationName>(name: K, options: Call<K> = {}): Promise<Reply<K>> => {
  const [method, path] = operations[name]
  const reply = await fetch(addressOf(path, options.params, options.query), {
    method,
    headers: {
      ...markHeaders,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    credentials: 'same-origin',
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  }).catch((cause: unknown) => {
    if (options.signal?.aborted) throw cause
    throw new ApiError(0, { error: 'The service cannot be reached. Is it running?', code: 'unreachable' })
  })
  const text = await reply.text()
  if (!reply.ok) throw new ApiError(reply.status, readObject(text))
  const parsed: Reply<K> = text === '' ? undefined : JSON.parse(text)
  return parsed
}

const readObject = (text: string): object => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return { error: text.slice(0, 300) }
  }
}

const sendSession = async (method: 'POST' | 'DELETE', body?: object): Promise<void> => {
  const reply = await fetch('/console/session', {
    method,
    headers: { ...markHeaders, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!reply.ok) throw new ApiError(reply.status, readObject(await reply.text()))
}
export const signIn = (key: string): Promise<void> => sendSession('POST', { key })
export const signOut = (): Promise<void> => sendSession('DELETE')
