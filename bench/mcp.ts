// What a tool call over the Model Context Protocol costs, against the same call of the native API, in processor time of
// the service, which runs as its own process with the settings of a deployment: `npm run bench mcp`. The bound is twice
// the native call.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess, stopProcess } from '../server/src/testing-process.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'

const rounds = 5
const callsARound = 400
const bound = 2

interface Twin {
  readonly service: string
  readonly baseUrl: string
  readonly mcpUrl: string
  readonly token: string
}

interface Pair {
  readonly name: string
  readonly service: string
  readonly native: (twin: Twin) => Promise<Response>
  readonly tool: string
  readonly args: object
}

const post = (url: string, token: string, body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': type }, body })

const dataDir = mkdtempSync(join(tmpdir(), 'diorama-bench-'))
const key = `dk_${randomBytes(24).toString('hex')}`
const service = await startProcess(dataDir, key)
const launched = await post(
  `${service.baseUrl}/v1/builder/worlds`,
  key,
  JSON.stringify({ blueprint: sampleCompany }),
)
const { twins } = (await launched.json()) as { twins: readonly Twin[] }
const twinOf = (kind: string): Twin => {
  const found = twins.find((twin) => twin.service === kind)
  if (!found) throw new Error(`the sample company has no ${kind}`)
  return found
}

const listed = await post(
  `${twinOf('chat').baseUrl}/api/conversations.list`,
  twinOf('chat').token,
  'limit=100',
  'application/x-www-form-urlencoded',
)
const { channels } = (await listed.json()) as { channels: readonly { id: string; name: string }[] }
const channel = channels.find(({ name }) => name === 'orders')?.id ?? ''
const issueQuery = `query ($id: String!) { issue(id: $id) { id identifier title description priority priorityLabel estimate url
  branchName createdAt updatedAt archivedAt completedAt startedAt canceledAt dueDate slaStartedAt slaMediumRiskAt
  slaHighRiskAt slaBreachesAt slaType state { name type } labels(first: 20) { nodes { name } } creator { id name }
  assignee { id name } delegate { id name } project { id name } projectMilestone { id name } parent { identifier }
  team { id name } cycle { id } attachments { nodes { id title subtitle url } } documents { nodes { id title } } } }`
const tracker = twinOf('tracker')
const first = (await (
  await post(
    `${tracker.baseUrl}/graphql`,
    tracker.token,
    '{"query":"{ issues(first: 1) { nodes { identifier } } }"}',
  )
).json()) as { data: { issues: { nodes: readonly { identifier: string }[] } } }
const issue = first.data.issues.nodes[0]?.identifier ?? ''
const soql = 'SELECT Id, Name FROM Account LIMIT 5'

const pairs: readonly Pair[] = [
  {
    name: 'chat: read a channel',
    service: 'chat',
    native: ({ baseUrl, token }) =>
      post(
        `${baseUrl}/api/conversations.history`,
        token,
        `channel=${channel}&limit=100`,
        'application/x-www-form-urlencoded',
      ),
    tool: 'slack_read_channel',
    args: { channel_id: channel },
  },
  {
    name: 'chat: send a message',
    service: 'chat',
    native: ({ baseUrl, token }) =>
      post(
        `${baseUrl}/api/chat.postMessage`,
        token,
        `channel=${channel}&text=hello`,
        'application/x-www-form-urlencoded',
      ),
    tool: 'slack_send_message',
    args: { channel_id: channel, message: 'hello' },
  },
  {
    name: 'tracker: read an issue',
    service: 'tracker',
    native: ({ baseUrl, token }) =>
      post(`${baseUrl}/graphql`, token, JSON.stringify({ query: issueQuery, variables: { id: issue } })),
    tool: 'get_issue',
    args: { id: issue },
  },
  {
    name: 'crm: query',
    service: 'crm',
    native: ({ baseUrl, token }) =>
      fetch(`${baseUrl}/services/data/v62.0/query?q=${encodeURIComponent(soql)}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    tool: 'soqlQuery',
    args: { query: soql },
  },
  {
    name: 'erp: read an order',
    service: 'erp',
    native: ({ baseUrl, token }) =>
      fetch(`${baseUrl}/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder?$format=json&$top=1`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    tool: 'execute-entity-operation',
    args: {
      serviceId: 'API_SALES_ORDER_SRV',
      entityName: 'A_SalesOrder',
      operation: 'read',
      queryOptions: { $top: 1 },
    },
  },
]

/** Of the service's own process: user and system time, in the kernel's ticks of 10 ms. */
const serviceCpuUs = (): number => {
  const stat = readFileSync(`/proc/${service.process.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** What one call costs the service. Neither its client nor the database is counted. */
const cost = async (call: () => Promise<Response>): Promise<number> => {
  const began = serviceCpuUs()
  for (let n = 0; n < callsARound; n++) {
    const reply = await call()
    const text = await reply.text()
    if (reply.status >= 300 || text.includes('"isError":true')) throw new Error(text.slice(0, 300))
  }
  return (serviceCpuUs() - began) / callsARound
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

let isWithin = true
for (const { name, service: kind, native, tool, args } of pairs) {
  const twin = twinOf(kind)
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: args },
  })
  const overMcp = () => post(twin.mcpUrl, twin.token, message)
  await cost(() => native(twin))
  await cost(overMcp)
  const costs = { native: [] as number[], mcp: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    costs.native.push(await cost(() => native(twin)))
    costs.mcp.push(await cost(overMcp))
  }
  const [plain, wrapped] = [median(costs.native), median(costs.mcp)]
  const ratio = wrapped / plain
  isWithin &&= ratio <= bound
  console.log(
    `${name}: native ${plain.toFixed(0)} µs, MCP ${wrapped.toFixed(0)} µs, ${ratio.toFixed(2)} × (at most ${bound} ×)`,
  )
}
await stopProcess(service)
rmSync(dataDir, { recursive: true, force: true })
if (!isWithin) process.exitCode = 1
