import type { Coverage } from '@diorama/twin-kit/kernel/twin'
import { rulesLeftOut } from './records/rules/left-out.ts'

/** Further resources of the vendor's REST reference, by the first segment of their path. */
const otherResources = [
  'appMenu',
  'async-queries',
  'asyncSpecifications',
  'commerce',
  'compactLayouts',
  'consent',
  'contactTracing',
  'dedupe',
  'domino',
  'eclair',
  'emailConnect',
  'event',
  'eventSchema',
  'expressionSetDetection',
  'externalServices',
  'financialservices',
  'folders',
  'gateway',
  'health-cloud',
  'industries',
  'iot',
  'jsonxform',
  'licensing',
  'localizedvalue',
  'manufacturing',
  'mobile',
  'nouns',
  'payments',
  'prechatForms',
  'scheduling',
  'serviceTemplates',
  'smartdatadiscovery',
  'wave',
] as const

/** Resources that the real service has and the twin has not: answered with its own 404, and counted. */
export const notEmulated: readonly { operation: string; pattern: RegExp; message?: string }[] = [
  { operation: 'chatter', pattern: /^\/(connect|chatter)(\/|$)/ },
  { operation: 'quickActions', pattern: /\/quickActions(\/|$)/ },
  {
    operation: 'actions (beyond emailSimple and submit)',
    pattern: /^\/actions(\/|$)/,
    message: 'Invalid Action Type',
  },
  { operation: 'ui-api (beyond records, object-info and picklists)', pattern: /^\/ui-api(\/|$)/ },
  { operation: 'analytics', pattern: /^\/analytics(\/|$)/ },
  { operation: 'tabs', pattern: /^\/tabs(\/|$)/ },
  { operation: 'theme', pattern: /^\/theme(\/|$)/ },
  {
    operation: 'layouts',
    pattern:
      /\/(describe\/(layouts|namedLayouts|approvalLayouts|compactLayouts)|compactLayouts|approvals?Layouts)(\/|$)/i,
  },
  { operation: 'listviews', pattern: /\/listviews(\/|$)/ },
  { operation: 'process rules', pattern: /^\/process(\/|$)/ },
  { operation: 'knowledge', pattern: /^\/(knowledgeManagement|support)(\/|$)/ },
  { operation: 'tooling (beyond query and describe)', pattern: /^\/tooling\// },
  { operation: 'graphql', pattern: /^\/graphql(\/|$)/ },
  { operation: 'metadata', pattern: /^\/metadata(\/|$)/ },
  { operation: 'apexrest', pattern: /^\/services\/apexrest(\/|$)/ },
  { operation: 'streaming by callback polling', pattern: /^\/cometd(\/|$)/ },
  { operation: 'oauth2 (other endpoints)', pattern: /^\/services\/oauth2\// },
  { operation: 'odata4', pattern: /\/odata4(\/|$)/i },
  {
    operation: 'frontdoor and setup pages',
    pattern: /^\/(secur|setup|lightning|servlet|apex|apexpages)(\/|$)/,
  },
  ...otherResources.map((name) => ({ operation: name, pattern: new RegExp(`^/${name}(/|$)`) })),
]

const done = (...operations: readonly string[]): Coverage[] =>
  operations.map((operation) => ({ operation, status: 'done', evidence: 'documented' }))
const partial = (operation: string, missing: string): Coverage => ({
  operation,
  status: 'partial',
  missing,
  evidence: 'documented',
})

export const coverage: readonly Coverage[] = [
  ...done('create', 'update', 'upsert', 'delete', 'undelete', 'emptyRecycleBin'),
  ...done(
    'queryMore',
    'openCursor',
    'markViewed',
    'recent',
    'versions',
    'recordCount',
    'getUpdated',
    'getDeleted',
  ),
  ...done('describeGlobal', 'convertLead'),
  ...done('createJob', 'uploadJobData', 'changeJob', 'finishJob', 'deleteJob', 'readJob', 'listJobs'),
  partial(
    'query',
    'data categories, currency conversion; FORMAT() writes en_US and dollars; the fiscal year is the calendar year',
  ),
  partial(
    'queryColumns',
    'keys as clients read them; the names of types and of unaliased aggregates are not recorded from the service',
  ),
  partial(
    'sendEmail',
    'plain addresses alone: templates, attachments, copies and bounces; deliverability is always on',
  ),
  partial(
    'processApproval',
    'one approver for each step; no queues’ e-mails, delegates, step criteria or parallel approvers; a single request that fails is an error of the call, which is not recorded from the service',
  ),
  partial(
    'ui-api',
    'records by named fields, object-info and picklist values; no layouts, lists, defaults or actions; the error of a refused save is not recorded from the service',
  ),
  partial('publishArticle', 'one language; a published article gets no new draft'),
  partial('explain', 'one plan, always a table scan'),
  partial('describeSObject', 'layouts, picklists by record type, dependent picklists'),
  partial('limits', 'the number of calls used goes by the clock, not by calls'),
  partial('search', 'relevance, synonyms, snippets, spelling; words are matched whole or by wildcard'),
  partial('merge', 'accounts, contacts and leads only'),
  partial('login', 'the password is the secret of the token; no activation, no expiry'),
  partial('publish event', 'one field type for each JSON type; no publish callbacks and no Apex subscribers'),
  partial(
    'cometd handshake',
    'long polling alone; changes are kept from the first handshake on, of all objects that the service can capture',
  ),
  ...done('cometd connect', 'cometd subscribe', 'cometd unsubscribe', 'cometd disconnect'),
  ...done(
    'start capture',
    'keep authorization',
    'agree to authorization',
    'spend authorization',
    'draw authorization',
  ),
  partial(
    'oauth2 flows',
    'authorization code with PKCE, device, client credentials, JWT bearer, password, refresh, introspection and revocation; one token for each user, every scope, and any client id until connected apps are set',
  ),
  partial(
    'PubSub (gRPC)',
    'GetTopic, GetSchema, Publish, PublishStream and Subscribe; managed subscriptions are not there',
  ),
  partial(
    'outbound messages',
    'set by the settings, with the rule that triggers each; retries carry the record as it was when the message was queued; no time-dependent actions',
  ),
  partial(
    'EventBusSubscriber',
    'no rows: its subscribers are triggers, processes and flows, and the twin runs none',
  ),
  { operation: 'streaming topics (PushTopic) and generic channels', status: 'not emulated' },
  partial('logout', 'ends the subject, since a subject has one token'),
  ...rulesLeftOut.map(
    ({ object, rule }): Coverage => ({ operation: `rule of ${object}: ${rule}`, status: 'not emulated' }),
  ),
  ...notEmulated.map(({ operation }): Coverage => ({ operation, status: 'not emulated' })),
]
