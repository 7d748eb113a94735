// An agent of the Agent Client Protocol: JSON-RPC, a message a line, on standard input and output.
import { createInterface } from 'node:readline'
import { work } from './work.mjs'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (sessionId, sent) => send({ method: 'session/update', params: { sessionId, update: sent } })
const sessions = new Map()

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { mcpCapabilities: { http: true } },
    agentInfo: { name: 'scripted', version: '1' },
    authMethods: [],
  }),
  'session/new': ({ mcpServers }) => {
    const sessionId = `session-${sessions.size + 1}`
    const servers = mcpServers.map(({ name, url, headers }) => [
      name,
      { url, token: headers.find((header) => header.name === 'Authorization').value.replace('Bearer ', '') },
    ])
    sessions.set(sessionId, Object.fromEntries(servers))
    return { sessionId }
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    let calls = 0
    const answer = await work(prompt[0].text, sessions.get(sessionId), (title) => {
      const toolCallId = `call-${++calls}`
      update(sessionId, {
        sessionUpdate: 'tool_call',
        toolCallId,
        title,
        kind: 'execute',
        status: 'completed',
      })
    })
    update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: answer } })
    return { stopReason: 'end_turn' }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  try {
    send({ id, result: await methods[method](params) })
  } catch (error) {
    send({ id, error: { code: -32603, message: String(error) } })
  }
}
