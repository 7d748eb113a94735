import { isRecord } from '@diorama/contract/records'
import { AgentFailed } from './agent-run.ts'
import type { OutsideDeps, OutsideTask } from './http-agent.ts'
import { type OutsideCaller, objectOf } from './outside-call.ts'

type Json = Readonly<Record<string, unknown>>

/** How an agent is spoken to: its wire, and whether it is of a version before 1.0. */
interface Interface {
  readonly url: string
  readonly wire: 'JSONRPC' | 'HTTP+JSON'
  readonly isOld: boolean
}

const pollMs = 500
const maxPollMs = 5_000

/** Sends the task to an agent of the Agent2Agent protocol and waits for the end of its work. */
export const runA2aAgent = async ({ caller, url, task, wait }: OutsideDeps): Promise<string | undefined> => {
  const chosen = await interfaceOf(caller, url)
  const speak = speaker(caller, chosen)
  let state = resultOf(await speak.send(messageOf(task, chosen.isOld)))
  for (let pause = pollMs; state.taskId !== undefined && isWorking(state.state); ) {
    await wait(pause)
    pause = Math.min(pause * 1.5, maxPollMs)
    state = resultOf(await speak.get(state.taskId))
  }
  if (state.state !== undefined && !/completed$/i.test(state.state))
    throw new AgentFailed(
      /input.required|auth.required/i.test(state.state)
        ? `The agent ended as ${state.state}: it waits for somebody, and a trial has nobody who answers.`
        : `The agent ended as ${state.state}.`,
    )
  return state.text
}

const isWorking = (state: string | undefined): boolean =>
  state !== undefined && /(?:submitted|working)$/i.test(state)

/** The card at its usual addresses: of 1.0 and of the versions before. */
const interfaceOf = async (caller: OutsideCaller, url: string): Promise<Interface> => {
  const base = url.replace(/\/+$/, '')
  const places = [
    `${base}/.well-known/agent-card.json`,
    new URL('/.well-known/agent-card.json', url).href,
    new URL('/.well-known/agent.json', url).href,
  ]
  for (const place of new Set(places)) {
    const reply = await caller.call({ method: 'GET', url: place })
    if (reply.status === 404) continue
    return chosenFrom(objectOf(reply), url)
  }
  throw new AgentFailed(`There is no agent card at ${new URL(url).origin}/.well-known/agent-card.json.`)
}

const chosenFrom = (card: Json, url: string): Interface => {
  const offered = [...listOf(card.supportedInterfaces), ...listOf(card.additionalInterfaces)]
    .map((one) => ({
      url: new URL(String(one.url ?? url), url).href,
      wire: String(one.protocolBinding ?? one.transport ?? 'JSONRPC'),
      isOld: /^0/.test(String(one.protocolVersion ?? card.protocolVersion ?? '0')),
    }))
    .filter(({ wire }) => wire === 'JSONRPC' || wire === 'HTTP+JSON')
  const own = {
    url: new URL(String(card.url ?? url), url).href,
    wire: String(card.preferredTransport ?? 'JSONRPC'),
    isOld: /^0/.test(String(card.protocolVersion ?? '0')),
  }
  const isUsable = own.wire === 'JSONRPC' || own.wire === 'HTTP+JSON'
  const found = offered.find(({ isOld }) => !isOld) ?? offered[0] ?? (isUsable ? own : undefined)
  if (!found)
    throw new AgentFailed('The agent offers neither JSONRPC nor HTTP+JSON; other bindings are not supported.')
  return { ...found, wire: found.wire === 'JSONRPC' ? 'JSONRPC' : 'HTTP+JSON' }
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const messageOf = ({ trial_id, instruction, world }: OutsideTask, isOld: boolean): Json => {
  const data = { world }
  return isOld
    ? {
        kind: 'message',
        messageId: trial_id,
        role: 'user',
        parts: [
          { kind: 'text', text: instruction },
          { kind: 'data', data },
        ],
      }
    : { messageId: trial_id, role: 'ROLE_USER', parts: [{ text: instruction }, { data }] }
}

const speaker = (caller: OutsideCaller, { url, wire, isOld }: Interface) => {
  const headers = isOld ? {} : { 'a2a-version': '1.0' }
  const rpc = async (method: string, params: Json): Promise<Json> => {
    const reply = objectOf(
      await caller.call({ method: 'POST', url, headers, body: { jsonrpc: '2.0', id: 1, method, params } }),
    )
    if (isRecord(reply.error))
      throw new AgentFailed(`The agent refused ${method}: ${String(reply.error.message).slice(0, 500)}`)
    return isRecord(reply.result) ? reply.result : {}
  }
  const below = `${url.replace(/\/+$/, '')}${isOld ? '/v1' : ''}`
  return wire === 'JSONRPC'
    ? {
        send: (message: Json) => rpc(isOld ? 'message/send' : 'SendMessage', { message }),
        get: (id: string) => rpc(isOld ? 'tasks/get' : 'GetTask', { id }),
      }
    : {
        send: async (message: Json) =>
          objectOf(
            await caller.call({ method: 'POST', url: `${below}/message:send`, headers, body: { message } }),
          ),
        get: async (id: string) =>
          objectOf(
            await caller.call({ method: 'GET', url: `${below}/tasks/${encodeURIComponent(id)}`, headers }),
          ),
      }
}

interface Result {
  readonly taskId: string | undefined
  readonly state: string | undefined
  readonly text: string | undefined
}

/** A message is the end; a task has a state, and its artifacts or its last message hold the answer. */
const resultOf = (result: Json): Result => {
  const inner = isRecord(result.task) ? result.task : isRecord(result.message) ? result.message : result
  if (!isRecord(inner.status)) return { taskId: undefined, state: undefined, text: textOf(inner.parts) }
  const { status } = inner
  const artifacts = listOf(inner.artifacts).flatMap(({ parts }) => textOf(parts) ?? [])
  const said = isRecord(status.message) ? textOf(status.message.parts) : undefined
  return {
    taskId: String(inner.id ?? ''),
    state: String(status.state ?? ''),
    text: artifacts.length > 0 ? artifacts.join('\n') : said,
  }
}

const textOf = (parts: unknown): string | undefined => {
  const texts = listOf(parts).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  return texts.length > 0 ? texts.join('\n') : undefined
}
