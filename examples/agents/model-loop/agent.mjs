// An agent loop around a real model: it may call four services, and stops when it has an answer. It speaks the
// OpenAI-compatible chat wire; MODEL_BASE_URL, MODEL_ID and MODEL_API_KEY say where.
import { readFile, writeFile } from 'node:fs/promises'

const { MODEL_BASE_URL, MODEL_ID, MODEL_API_KEY, INSTRUCTION_PATH, WORK_DIR, ...env } = process.env
const maxTurns = 30

/** Where each service is and how it takes its credential. */
const services = {
  slack: ['https://slack.com/api', `Bearer ${env.SLACK_BOT_TOKEN}`],
  linear: ['https://api.linear.app', env.LINEAR_API_KEY],
  salesforce: [env.SF_INSTANCE_URL, `Bearer ${env.SF_ACCESS_TOKEN}`],
  sap: [env.SAP_BASE_URL, `Bearer ${env.SAP_TOKEN}`],
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'http',
      description:
        'Calls the public HTTP API of a service: slack (path like /chat.postMessage), linear (/graphql), salesforce (/services/data/v62.0/...), sap (/sap/opu/odata/sap/API_SALES_ORDER_SRV/...). Credentials are added. Returns status, some headers and the body.',
      parameters: {
        type: 'object',
        properties: {
          service: { type: 'string', enum: Object.keys(services) },
          method: { type: 'string', enum: ['GET', 'POST', 'PATCH', 'DELETE'] },
          path: { type: 'string' },
          body: { type: 'string', description: 'JSON text.' },
          headers: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['service', 'method', 'path'],
      },
    },
  },
]

const http = async ({ service, method, path, body, headers = {} }) => {
  const [base, authorization] = services[service]
  const reply = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers, authorization },
    ...(body === undefined ? {} : { body }),
  })
  const kept = ['etag', 'x-csrf-token', 'set-cookie'].map((name) => [name, reply.headers.get(name)])
  return JSON.stringify({
    status: reply.status,
    headers: Object.fromEntries(kept.filter(([, value]) => value)),
    body: (await reply.text()).slice(0, 20_000),
  })
}

const messages = [
  {
    role: 'system',
    content: 'You act on company systems. Do exactly what is asked, and change nothing else.',
  },
  { role: 'user', content: await readFile(INSTRUCTION_PATH, 'utf8') },
]
for (let turn = 0; turn < maxTurns; turn++) {
  const reply = await fetch(`${MODEL_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MODEL_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL_ID, messages, tools }),
  })
  if (!reply.ok) throw new Error(`the model answered ${reply.status}: ${(await reply.text()).slice(0, 300)}`)
  const { message } = (await reply.json()).choices[0]
  messages.push(message)
  if (!message.tool_calls?.length) {
    await writeFile(`${WORK_DIR}/output.txt`, message.content ?? '')
    break
  }
  for (const call of message.tool_calls) {
    const content = await http(JSON.parse(call.function.arguments)).catch(
      (error) => `failed: ${error.message}`,
    )
    messages.push({ role: 'tool', tool_call_id: call.id, content })
  }
}
