import type { RouteName } from '@diorama/contract'

type Fields = Readonly<Record<string, unknown>>

/** What a request of the reference's examples carries, in the names of the wire. */
export interface RequestExample {
  readonly query?: Fields
  readonly body?: Fields | readonly Fields[]
  /** The name of the file whose bytes are sent. */
  readonly file?: string
}

const spend = {
  name: 'States the total',
  kind: 'code',
  language: 'typescript',
  code: 'export default ({ output }) => (String(output).includes("412.50") ? 1 : 0)',
}

/** An example for every operation that takes a body, bytes or a query that cannot be left out. */
export const requestExamples: Readonly<Partial<Record<RouteName, RequestExample>>> = {
  createApiKey: { body: { name: 'nightly', scopes: ['evals:read', 'evals:write', 'agents:read'] } },
  createOrganization: { body: { name: 'Support engineering', limits: { concurrent_trials: 8 } } },
  updateOrganization: { body: { limits: { event_retention_days: 30 } } },
  updateWorld: { body: { tags: ['demo'], archived: false } },
  branchWorld: { body: { at: 'req_01k0x7wq2v', name: 'Before the escalation' } },
  moveWorldClock: { body: { advance: '2h' } },
  addWorldEvent: {
    body: {
      event: {
        key: 'customer-asks-again',
        at: '2h',
        as: 'priya',
        do: [
          {
            service: 'chat',
            operation: 'chat.postMessage',
            input: { channel: 'support', text: 'Any news on the drift?' },
          },
        ],
      },
    },
  },
  createTwin: { body: { service: 'chat', ttl_hours: 8 } },
  createSnapshot: { body: { name: 'After the first week' } },
  createDataset: { query: { name: 'Orders of March' }, file: 'orders.ndjson' },
  listDatasetRows: { query: { service: 'crm', collection: 'Account' } },
  writeTwinSettings: { body: { url: 'https://agent.example/events' } },
  interactWithTwin: {
    body: {
      type: 'block_actions',
      as: 'priya',
      action_id: 'approve',
      channel: 'C01K0X',
      ts: '1767600000.000100',
    },
  },
  answerTwinForward: { body: { status: 200, body: 'ok' } },
  createEvent: {
    body: { source: 'shop', topic: 'orders', event_type: 'order.moved', entities: { order: '7002' } },
  },
  createEvents: {
    body: [
      { source: 'shop', topic: 'orders', event_type: 'order.moved', entities: { order: '7002' } },
      { source: 'shop', topic: 'orders', event_type: 'order.paid', entities: { order: '7002' } },
    ],
  },
  search: { body: { query: 'late orders', limit: 20 } },
  trackTrace: {
    body: {
      trace_id: 'refund-7002',
      spans: [{ span_id: 'lookup', name: 'look up the order', duration_ms: 42 }],
    },
  },
  exportTraces: { file: 'traces.otlp' },
  trackSignal: { body: { event_id: 'evt_01k0x7wq2v', signal_name: 'thumbs_up' } },
  registerAgent: {
    body: {
      name: 'careful',
      version: '1.0.0',
      files: { 'agent.mjs': 'console.log("Hello")' },
      run: { command: ['node', 'agent.mjs'], timeout_seconds: 60 },
    },
  },
  updateAgent: { body: { description: 'Answers support requests.', owner: 'Support engineering' } },
  updateAgentVersion: { body: { status: 'stable' } },
  uploadAgentBundle: { file: 'agent.tar.gz' },
  recordAgentRuns: {
    body: [{ agent: 'careful@1.0.0', started_at: '2026-03-02T09:00:00Z', status: 'succeeded' }],
  },
  startChat: { body: { version: 'current' } },
  sendChatMessage: { body: { text: 'Which orders are late?' } },
  putSecret: { body: { value: 'the-secret', description: 'Of the staging account.' } },
  createSuite: { body: { name: 'Refunds', description: 'What support does with a refund.' } },
  updateSuite: { body: { unasked_changes: 'fail' } },
  createTask: {
    body: {
      title: 'Refund a late order',
      instruction: 'Refund order 7002 and tell the customer.',
      expected_outcome: 'The order is refunded once and the customer has an answer.',
      scorers: [{ scorer_id: 'scr_01k0x7wq2v', weight: 'high' }],
    },
  },
  updateTask: { body: { title: 'Refund a late order once' } },
  setTaskScorers: { body: [{ scorer_id: 'scr_01k0x7wq2v', pass_threshold: 0.8 }] },
  publishSuite: { body: { label: 'March' } },
  createScorer: { body: spend },
  updateScorer: { body: { ...spend, passThreshold: 1 } },
  testScorer: { body: { ...spend, output: 'The total is 412.50.' } },
  calibrateScorer: {
    body: {
      examples: [
        { input: 'Refund order 7002.', output: 'Refunded.', label: 'pass' },
        { input: 'Refund order 7002.', output: 'I cannot do that.', label: 'fail' },
      ],
    },
  },
  createBuiltinScorer: { body: { name: 'Says refunded', parameters: { text: 'refunded' } } },
  checkSuiteTasks: { body: { task_ids: ['tsk_01k0x7wq2v'] } },
  importSuite: { query: { format: 'promptfoo', name: 'Refunds' }, file: 'promptfooconfig.yaml' },
  createTaskFromTrace: { body: { trace_id: 'refund-7002' } },
  startJob: {
    body: { task_suite_id: 'ste_01k0x7wq2v', agents: ['careful@1.0.0', 'careless@1.0.0'], mode: 'compare' },
  },
  branchTrial: { body: { at: 'req_01k0x7wq2v' } },
  rescoreJob: { body: { label: 'With the stricter judge' } },
  putTraceExport: { body: { endpoint: 'https://otlp.example' } },
  putModelProvider: {
    body: {
      wire: 'openai',
      base_url: 'https://models.example/v1',
      api_key: 'sk-example',
      prices: { 'small-1': { input: 0.25, output: 2 } },
    },
  },
  testModelProvider: { body: { model: 'small-1' } },
  importCassette: { file: 'cassette.jsonl' },
}

const ids: Readonly<Record<string, string>> = {
  a: 'stv_01k0x7wq2v',
  attemptId: 'att_01k0x7wq2v',
  b: 'stv_01k0xb2m4d',
  callId: 'mcl_01k0x7wq2v',
  datasetId: 'dst_01k0x7wq2v',
  deliveryId: 'dlv_01k0x7wq2v',
  environmentId: 'env_01k0x7wq2v',
  eventId: 'evt_01k0x7wq2v',
  id: '7002',
  jobId: 'job_01k0x7wq2v',
  keyId: 'key_01k0x7wq2v',
  name: 'careful',
  organizationId: 'org_01k0x7wq2v',
  requestId: 'req_01k0x7wq2v',
  runId: 'run_01k0x7wq2v',
  scorerId: 'scr_01k0x7wq2v',
  sessionId: 'cht_01k0x7wq2v',
  slug: 'contains',
  suiteId: 'ste_01k0x7wq2v',
  taskId: 'tsk_01k0x7wq2v',
  traceId: 'refund-7002',
  trialId: 'trl_01k0x7wq2v',
  twinId: 'twn_01k0x7wq2v',
  type: 'order',
  version: '1.0.0',
  versionId: 'dsv_01k0x7wq2v',
  worldId: 'wld_01k0x7wq2v',
}

/** Where a parameter means something else than its name does elsewhere. */
const names: readonly (readonly [path: string, parameter: string, value: string])[] = [
  ['/v1/secrets/', 'name', 'CRM_TOKEN'],
  ['/v1/model-providers/', 'name', 'house'],
  ['/v1/cassettes/', 'name', 'nightly'],
  ['/v1/backtests/', 'name', 'answer.md'],
  ['/v1/builder/samples/', 'slug', 'larkfield-pumps'],
  ['/v1/task-suites/', 'versionId', 'stv_01k0x7wq2v'],
]

/** What an example puts in place of a parameter of its path. */
export const pathExample = (path: string, parameter: string): string => {
  const own = names.find(([start, name]) => path.startsWith(start) && name === parameter)
  return own?.[2] ?? ids[parameter] ?? parameter
}
