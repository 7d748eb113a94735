// An agent that runs already, and is called: over plain HTTP at /run, and over Agent2Agent at / (version 1.0, as
// JSON-RPC and REST) and at /old (a version before it). Start it with `node server.mjs <port>`.
import { createServer } from 'node:http'
import { json as read } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { work } from '../mcp-only/work.mjs'

const serversOf = ({ services }) =>
  Object.fromEntries(services.map(({ service, mcp_url, token }) => [service, { url: mcp_url, token }]))

const tasks = new Map()

/** Begins the work; a task is asked for until it is completed. */
const begin = (message, isOld) => {
  const instruction = message.parts.find(({ text }) => text !== undefined).text
  const { world } = message.parts.find(({ data }) => data !== undefined).data
  const task = {
    id: `task-${tasks.size + 1}`,
    contextId: 'c',
    status: { state: isOld ? 'working' : 'TASK_STATE_WORKING' },
  }
  tasks.set(task.id, task)
  work(instruction, serversOf(world)).then(
    (text) => {
      task.status = { state: isOld ? 'completed' : 'TASK_STATE_COMPLETED' }
      task.artifacts = [{ artifactId: 'a', parts: [isOld ? { kind: 'text', text } : { text }] }]
    },
    (error) => {
      const parts = [isOld ? { kind: 'text', text: String(error) } : { text: String(error) }]
      task.status = { state: isOld ? 'failed' : 'TASK_STATE_FAILED', message: { parts } }
    },
  )
  return task
}

const card = (base, isOld) =>
  isOld
    ? {
        name: 'scripted',
        description: '',
        version: '1',
        protocolVersion: '0.3.0',
        url: base,
        preferredTransport: 'JSONRPC',
      }
    : {
        name: 'scripted',
        description: '',
        version: '1',
        supportedInterfaces: [
          { url: `${base}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
          { url: base, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
        capabilities: {},
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [],
      }

const rpc = ({ id, method, params }, isOld) => {
  const isSend = method === 'SendMessage' || method === 'message/send'
  const task = isSend ? begin(params.message, isOld) : tasks.get(params.id)
  return { jsonrpc: '2.0', id, result: isSend && !isOld ? { task } : task }
}

const answer = async (method, path, base, body) => {
  if (path === '/run') return { output: await work(body.instruction, serversOf(body.world)) }
  if (path === '/old/.well-known/agent-card.json') return card(`${base}/old`, true)
  if (path === '/.well-known/agent-card.json') return card(base, false)
  if (path === '/old') return rpc(body, true)
  if (path === '/rest/message:send') return { task: begin(body.message, false) }
  if (path.startsWith('/rest/tasks/')) return tasks.get(path.slice('/rest/tasks/'.length))
  return method === 'POST' && path === '/' ? rpc(body, false) : undefined
}

/** Serves the agent on loopback; the caller ends it with `close`. */
export const serve = (port = 0) =>
  new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const base = `http://127.0.0.1:${server.address().port}`
      const body = request.method === 'POST' ? await read(request) : undefined
      const reply = await answer(request.method, request.url, base, body).catch((error) => ({
        error: String(error),
      }))
      response.writeHead(reply ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(reply ?? {}))
    })
    server.listen(port, '127.0.0.1', () => resolve(server))
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await serve(Number(process.argv[2] ?? 0))
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}.`)
}
