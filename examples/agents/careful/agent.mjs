// An agent written for production: it names the real services alone, and reads its credentials from the variables that
// their clients read. It is scripted, so that it does the same each time; a model would choose these calls on its own.
import { readFile, writeFile } from 'node:fs/promises'

const env = process.env
const instruction = await readFile(env.INSTRUCTION_PATH, 'utf8')

const json = async (url, init = {}) => {
  const reply = await fetch(url, init)
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${init.method ?? 'GET'} ${url}: ${reply.status} ${text.slice(0, 300)}`)
  return { body: text === '' ? undefined : JSON.parse(text), headers: reply.headers }
}

const slack = async (method, args) => {
  const { body } = await json(`https://slack.com/api/${method}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${env.SLACK_BOT_TOKEN}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(args),
  })
  if (!body.ok) throw new Error(`${method}: ${body.error}`)
  return body
}
const channel = async (name) => {
  const { channels } = await slack('conversations.list', {
    types: 'public_channel,private_channel',
    limit: '200',
  })
  return channels.find((one) => one.name === name).id
}

const linear = async (query, variables) => {
  const { body } = await json('https://api.linear.app/graphql', {
    method: 'POST',
    headers: { authorization: env.LINEAR_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  if (body.errors) throw new Error(body.errors[0].message)
  return body.data
}

const salesforce = (path, init = {}) =>
  json(`${env.SF_INSTANCE_URL}/services/data/v62.0${path}`, {
    ...init,
    headers: { authorization: `Bearer ${env.SF_ACCESS_TOKEN}`, 'content-type': 'application/json' },
  })
const soql = async (query) => (await salesforce(`/query?q=${encodeURIComponent(query)}`)).body.records

const sapUrl = `${env.SAP_BASE_URL}/sap/opu/odata/sap/API_SALES_ORDER_SRV`
const sapHeaders = { authorization: `Bearer ${env.SAP_TOKEN}`, accept: 'application/json' }

const escalate = async () => {
  const [found] = await soql(
    "SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%drift%' AND IsClosed = false",
  )
  await salesforce(`/sobjects/Case/${found.Id}`, {
    method: 'PATCH',
    body: JSON.stringify({ Status: 'Escalated' }),
  })
  await slack('chat.postMessage', {
    channel: await channel('support-escalations'),
    text: `Case ${found.CaseNumber} is escalated.`,
  })
  return `Escalated case ${found.CaseNumber}.`
}

const moveDelivery = async () => {
  const filter = encodeURIComponent("PurchaseOrderByCustomer eq 'CVW-2291'")
  const { body, headers } = await json(`${sapUrl}/A_SalesOrder?$filter=${filter}`, {
    headers: { ...sapHeaders, 'x-csrf-token': 'Fetch' },
  })
  const [order] = body.d.results
  await json(`${sapUrl}/A_SalesOrder('${order.SalesOrder}')`, {
    method: 'PATCH',
    headers: {
      ...sapHeaders,
      'content-type': 'application/json',
      'if-match': order.__metadata.etag,
      'x-csrf-token': headers.get('x-csrf-token'),
      cookie: headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    },
    body: JSON.stringify({ RequestedDeliveryDate: `/Date(${Date.UTC(2026, 2, 20)})/` }),
  })
  const orders = await channel('orders')
  const { messages } = await slack('conversations.history', { channel: orders, limit: '100' })
  const question = messages.find(({ text }) => text.includes('CVW-2291'))
  await slack('chat.postMessage', {
    channel: orders,
    thread_ts: question.ts,
    text: 'Done: the requested delivery date is now 2026-03-20.',
  })
  return `Moved order ${order.SalesOrder} to 2026-03-20.`
}

const handOver = async () => {
  const data = await linear(
    `query ($title: String!) {
      issues(filter: { title: { eq: $title } }) { nodes { id identifier team { states { nodes { id name } } } } }
      users(filter: { name: { contains: "Aiko" } }) { nodes { id } }
    }`,
    { title: 'Turbidity baseline drifts after nine days' },
  )
  const [issue] = data.issues.nodes
  const state = issue.team.states.nodes.find(({ name }) => name === 'In Progress')
  await linear(
    'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
    {
      id: issue.id,
      input: { assigneeId: data.users.nodes[0].id, stateId: state.id, priority: 1 },
    },
  )
  return `Handed ${issue.identifier} over.`
}

const renewal = async () => {
  const [deal] = await soql("SELECT Id FROM Opportunity WHERE Name = 'Calder Valley Water - Renewal 2026'")
  await salesforce(`/sobjects/Opportunity/${deal.Id}`, {
    method: 'PATCH',
    body: JSON.stringify({ StageName: 'Negotiation/Review' }),
  })
  return 'The renewal stands at Negotiation/Review.'
}

const jobs = [
  [/escalated/i, escalate],
  [/spare probes/i, moveDelivery],
  [/drift issue/i, handOver],
  [/renewal/i, renewal],
]
const job = jobs.find(([pattern]) => pattern.test(instruction))
await writeFile(`${env.WORK_DIR}/output.txt`, job ? await job[1]() : 'I do not know how to do this.')
