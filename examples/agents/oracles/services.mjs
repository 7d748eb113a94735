// Thin clients of the four services, as a production agent would have them: real host names, and credentials from the
// variables that the vendors' own clients read.
import { readFile, writeFile } from 'node:fs/promises'

const env = process.env

const request = async (url, init = {}) => {
  const reply = await fetch(url, init)
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${init.method ?? 'GET'} ${url}: ${reply.status} ${text.slice(0, 300)}`)
  return { body: text === '' ? undefined : JSON.parse(text), headers: reply.headers }
}

export const slack = async (method, parameters = {}) => {
  const { body } = await request(`https://slack.com/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.SLACK_BOT_TOKEN}` },
    body: new URLSearchParams(parameters),
  })
  if (!body.ok) throw new Error(`${method}: ${body.error}`)
  return body
}

export const channelId = async (name) => {
  const { channels } = await slack('conversations.list', {
    types: 'public_channel,private_channel',
    limit: '200',
  })
  return channels.find((channel) => channel.name === name).id
}

/** The newest message of a channel whose text matches, threads left aside. */
export const findMessage = async (channel, pattern) => {
  const { messages } = await slack('conversations.history', { channel, limit: '100' })
  return messages.find(({ text, subtype }) => !subtype && pattern.test(text))
}

export const replies = async (channel, ts) =>
  (await slack('conversations.replies', { channel, ts, limit: '100' })).messages

export const linear = async (query, variables = {}) => {
  const { body } = await request('https://api.linear.app/graphql', {
    method: 'POST',
    headers: { authorization: env.LINEAR_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  if (body.errors) throw new Error(body.errors[0].message)
  return body.data
}

export const issues = async (filter) =>
  (
    await linear(
      `query ($filter: IssueFilter) { issues(filter: $filter, first: 25) { nodes {
        id identifier title createdAt labels(first: 10) { nodes { id name } }
        team { id key states(first: 10) { nodes { id name } } labels(first: 20) { nodes { id name } } }
      } } }`,
      { filter },
    )
  ).issues.nodes

export const user = async (firstName) =>
  (
    await linear(
      'query ($name: String!) { users(filter: { name: { startsWith: $name } }, first: 5) { nodes { id } } }',
      {
        name: firstName,
      },
    )
  ).users.nodes[0].id

export const updateIssue = (id, input) =>
  linear(
    'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
    {
      id,
      input,
    },
  )

export const comment = (issueId, body) =>
  linear('mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
    input: { issueId, body },
  })

export const stateId = (issue, name) => issue.team.states.nodes.find((state) => state.name === name).id

export const salesforce = (path, init = {}) =>
  request(`${env.SF_INSTANCE_URL}/services/data/v62.0${path}`, {
    ...init,
    headers: { authorization: `Bearer ${env.SF_ACCESS_TOKEN}`, 'content-type': 'application/json' },
  })

export const soql = async (query) => (await salesforce(`/query?q=${encodeURIComponent(query)}`)).body.records

export const update = (object, id, fields) =>
  salesforce(`/sobjects/${object}/${id}`, { method: 'PATCH', body: JSON.stringify(fields) })

export const create = (object, fields) =>
  salesforce(`/sobjects/${object}`, { method: 'POST', body: JSON.stringify(fields) })

const sapUrl = `${env.SAP_BASE_URL}/sap/opu/odata/sap/API_SALES_ORDER_SRV`
const sapHeaders = { authorization: `Bearer ${env.SAP_TOKEN}`, accept: 'application/json' }

export const sap = async (path) => (await request(`${sapUrl}${path}`, { headers: sapHeaders })).body.d

export const orderByPurchaseOrder = async (number) => {
  const filter = encodeURIComponent(`PurchaseOrderByCustomer eq '${number}'`)
  return (await sap(`/A_SalesOrder?$filter=${filter}`)).results[0]
}

/** Reads the order anew for its tag and a token, as the service wants it, and changes it. */
export const updateOrder = async (number, fields) => {
  const url = `${sapUrl}/A_SalesOrder('${number}')`
  const { body, headers } = await request(url, { headers: { ...sapHeaders, 'x-csrf-token': 'Fetch' } })
  await request(url, {
    method: 'PATCH',
    headers: {
      ...sapHeaders,
      'content-type': 'application/json',
      'if-match': body.d.__metadata.etag,
      'x-csrf-token': headers.get('x-csrf-token'),
      cookie: headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    },
    body: JSON.stringify(fields),
  })
}

let sapProof

/** A token against forged requests with its cookies, fetched once. */
const proven = async () => {
  if (sapProof) return sapProof
  const { headers } = await request(`${sapUrl}/`, { headers: { ...sapHeaders, 'x-csrf-token': 'Fetch' } })
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  sapProof = { 'x-csrf-token': headers.get('x-csrf-token'), cookie: cookies.join('; ') }
  return sapProof
}

/** Any request to any of the ERP system's services; the path begins below `/sap/opu/`. */
export const erp = async (path, { method = 'GET', body } = {}) => {
  const change = method === 'GET' ? {} : { 'content-type': 'application/json', ...(await proven()) }
  const match = method === 'PATCH' || method === 'DELETE' ? { 'if-match': '*' } : {}
  const reply = await request(`${env.SAP_BASE_URL}/sap/opu/${path}`, {
    method,
    headers: { ...sapHeaders, ...change, ...match },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return reply.body?.d ?? reply.body
}

export const sapDate = (day) => `/Date(${Date.parse(`${day}T00:00:00Z`)})/`

/** Does the job whose pattern fits the instruction, and writes what it answers. */
export const work = async (jobs) => {
  const instruction = await readFile(env.INSTRUCTION_PATH, 'utf8')
  const job = jobs.find(([pattern]) => pattern.test(instruction))
  await writeFile(`${env.WORK_DIR}/output.txt`, job ? await job[1]() : 'I do not know how to do this.')
}
