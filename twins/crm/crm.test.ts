import { conforms } from '@diorama/twin-kit/conformance'
import { integration, type TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, testCompany } from '@diorama/twin-kit/testing/host'
import { section } from './testing/world.ts'
import { crm } from './twin.ts'

const seed = seedFor(crm, section)
const idOf = (key: string): string => seed.seed.keys.find((one) => one.key === key)?.id ?? ''
const userId = String(seed.seed.tables.$person?.find(({ subject }) => subject === integration)?.userId)

const request = (
  method: string,
  path: string,
  credential: string | undefined,
  body?: unknown,
): TwinRequest => {
  const [where = '', query = ''] = path.split('?')
  return {
    method,
    path: where.startsWith('/services') ? where : `/services/data/v62.0${where}`,
    query,
    headers: {
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
      'content-type': 'application/json',
    },
    body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    baseUrl: 'http://twin.example',
  }
}
const soap = (credential: string | undefined, method: string): TwinRequest => ({
  ...request('POST', '/services/Soap/u/62.0', undefined),
  body: Buffer.from(
    `<Envelope><Header><SessionHeader><sessionId>${credential ?? ''}</sessionId></SessionHeader></Header><Body>${method}</Body></Envelope>`,
  ),
})
const query = (text: string) => `/query?q=${encodeURIComponent(text)}`
const window = '?start=2026-03-01T00:00:00Z&end=2026-03-02T09:00:00Z'

/** A request that reaches each operation on its own. Jobs and cursors are reached through others, which have their own tests. */
const requests: Readonly<Record<string, (credential: string | undefined) => TwinRequest>> = {
  create: (token) => request('POST', '/sobjects/Account', token, { Name: 'New' }),
  update: (token) => request('PATCH', `/sobjects/Case/${idOf('leak')}`, token, { Status: 'Working' }),
  upsert: (token) => request('PATCH', '/sobjects/Contact/Email/jane@acme.example', token, { Title: 'Boss' }),
  delete: (token) => request('DELETE', `/sobjects/Opportunity/${idOf('acme-retrofit')}`, token),
  undelete: (token) => soap(token, `<undelete><ids>${idOf('leak')}</ids></undelete>`),
  emptyRecycleBin: (token) => soap(token, `<emptyRecycleBin><ids>${idOf('leak')}</ids></emptyRecycleBin>`),
  query: (token) => request('GET', query('SELECT Id, Owner.Name FROM Account'), token),
  queryMore: (token) => request('GET', '/query/01gJz0000000001AAA-2000', token),
  markViewed: (token) => request('GET', query('SELECT Id FROM Account FOR VIEW'), token),
  recent: (token) => request('GET', '/recent', token),
  explain: (token) => request('GET', '/query?explain=SELECT+Id+FROM+Account', token),
  describeGlobal: (token) => request('GET', '/sobjects', token),
  describeSObject: (token) => request('GET', '/sobjects/Account/describe', token),
  limits: (token) => request('GET', '/limits', token),
  recordCount: (token) => request('GET', '/limits/recordCount?sObjects=Account,Contact', token),
  getUpdated: (token) => request('GET', `/sobjects/Account/updated${window}`, token),
  getDeleted: (token) => request('GET', `/sobjects/Account/deleted${window}`, token),
  search: (token) =>
    request('GET', `/search?q=${encodeURIComponent('FIND {acme} RETURNING Account(Id)')}`, token),
  convertLead: (token) =>
    soap(
      token,
      `<convertLead><leadConverts><leadId>${idOf('priya')}</leadId><convertedStatus>Closed - Converted</convertedStatus></leadConverts></convertLead>`,
    ),
  merge: (token) =>
    soap(
      token,
      `<merge><mergeRequests><masterRecord><type>Lead</type><Id>${idOf('priya')}</Id></masterRecord><recordToMergeIds>${idOf('lars')}</recordToMergeIds></mergeRequests></merge>`,
    ),
  logout: (token) => soap(token, '<logout/>'),
  versions: () => request('GET', '/services/data', undefined),
  createJob: (token) => request('POST', '/jobs/ingest', token, { object: 'Account', operation: 'insert' }),
  listJobs: (token) => request('GET', '/jobs/ingest', token),
  readJob: (token) => request('GET', '/jobs/ingest/750Jz0000000001AAA', token),
  deleteJob: (token) => request('DELETE', '/jobs/ingest/750Jz0000000001AAA', token),
  uploadJobData: (token) => request('PUT', '/jobs/ingest/750Jz0000000001AAA/batches', token),
  changeJob: (token) => request('PATCH', '/jobs/ingest/750Jz0000000001AAA', token, { state: 'Aborted' }),
  chatter: (token) => request('GET', '/chatter/users/me', token),
  quickActions: (token) => request('GET', '/quickActions', token),
  'actions (beyond emailSimple)': (token) =>
    request('POST', '/actions/standard/convertLead', token, { inputs: [] }),
  sendEmail: (token) =>
    request('POST', '/actions/standard/emailSimple', token, {
      inputs: [{ emailAddresses: 'jane@acme.example', emailSubject: 'Hello', emailBody: 'Hello' }],
    }),
  publishArticle: (token) =>
    request('PATCH', '/knowledgeManagement/articleVersions/masterVersions/ka0000000000000AAA', token, {
      publishStatus: 'Online',
    }),
  graphql: (token) => request('POST', '/graphql', token, { query: '{ uiapi { query } }' }),
  metadata: (token) => request('POST', '/metadata/deployRequest', token, {}),
  odata4: (token) => request('GET', '/odata4/x', token),
  'ui-api': (token) => request('GET', '/ui-api/records', token),
  analytics: (token) => request('GET', '/analytics/reports', token),
  tabs: (token) => request('GET', '/tabs', token),
  theme: (token) => request('GET', '/theme', token),
  layouts: (token) => request('GET', '/sobjects/Account/describe/layouts', token),
  listviews: (token) => request('GET', '/sobjects/Account/listviews', token),
  process: (token) => request('GET', '/process/rules', token),
  knowledge: (token) => request('GET', '/support/dataCategoryGroups', token),
  'tooling (beyond query and describe)': (token) => request('GET', '/tooling/runTestsSynchronous', token),
  apexrest: (token) => request('GET', '/services/apexrest/x', token),
  'oauth2 authorize': (token) => request('GET', '/services/oauth2/authorize', token),
}

conforms(crm, {
  section,
  company: testCompany,
  request: (operation, credential) => requests[operation]?.(credential),
  refuses: (status, body) =>
    (status === 401 && body.includes('"INVALID_SESSION_ID"')) ||
    (status === 500 && body.includes('sf:INVALID_SESSION_ID')),
  open: ['versions'],
  script: (token) => [
    request('POST', '/sobjects/Account', token, { Name: 'Written in a test' }),
    request('PATCH', `/sobjects/Opportunity/${idOf('acme-renewal')}`, token, { StageName: 'Closed Won' }),
    request('PATCH', `/sobjects/Case/${idOf('leak')}`, token, {
      Status: 'Closed',
      Comments: 'Seal replaced',
    }),
    request('POST', '/sobjects/Task', token, { Subject: 'Call', WhoId: idOf('jane'), WhatId: idOf('acme') }),
    request('DELETE', `/sobjects/Lead/${idOf('lars')}`, token),
    requests.convertLead?.(token) ?? soap(token, ''),
    request('POST', '/composite/sobjects', token, {
      allOrNone: true,
      records: [{ attributes: { type: 'Contact' }, LastName: 'Ok' }, { attributes: { type: 'Contact' } }],
    }),
    request('POST', '/jobs/ingest', token, { object: 'Account', operation: 'insert' }),
    request('GET', `/sobjects/User/${userId}`, token),
  ],
})
