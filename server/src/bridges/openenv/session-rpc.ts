import { jsonIn } from '@diorama/contract/records'
import { OpenEnvError, Rpc } from './messages.ts'
import type { Owner, Room, Rooms } from './rooms.ts'

const codes = { parse: -32_700, invalidRequest: -32_600, invalidParams: -32_602, server: -32_000 } as const

/** A refusal in the words of JSON-RPC. */
class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Sessions for clients that speak the Model Context Protocol by HTTP: they open one, call its tools by its id, reset it
 * through a socket that joins it, and close it. One that is left behind ends when it is idle, or with its key.
 */
export const createSessionRpc =
  (rooms: Rooms) =>
  async (owner: Owner, body: string): Promise<object> => {
    const sent = jsonIn(body)
    const { data: call } = Rpc.safeParse(sent)
    const reply = (content: object) => ({ jsonrpc: '2.0', id: call?.id ?? null, ...content })
    try {
      if (sent === undefined) throw new RpcError(codes.parse, 'Parse error')
      if (!call)
        throw new RpcError(codes.invalidRequest, 'Invalid request: JSON-RPC 2.0 with a method is expected')
      return reply(await answer(rooms, owner, call))
    } catch (error) {
      if (error instanceof OpenEnvError)
        return reply({ error: { code: codes.server, message: error.message } })
      if (error instanceof RpcError) return reply({ error: { code: error.code, message: error.message } })
      throw error
    }
  }

const answer = async (rooms: Rooms, owner: Owner, call: Rpc): Promise<object> => {
  const { session_id, ...params } = call.params
  const found = () => roomOf(rooms, owner, session_id)
  if (call.method === 'openenv/session/create')
    return { result: { session_id: rooms.open(owner, () => undefined).session.id } }
  if (call.method === 'openenv/session/close') {
    found().end()
    return { result: { session_id, closed: true } }
  }
  // Tools can be listed before there is a session.
  const isPassing = session_id === undefined && call.method === 'tools/list'
  const room = isPassing ? rooms.open(owner, () => undefined) : found()
  room.idle.begin()
  try {
    const text = await room.session.answer(JSON.stringify({ type: 'mcp', data: { ...call, params } }))
    const { type, data } = JSON.parse(text) as { type: string; data: Record<string, unknown> }
    if (type === 'error') throw new RpcError(codes.server, String(data.message))
    const { jsonrpc: _, id: __, ...content } = data
    return content
  } finally {
    room.idle.end()
    if (isPassing) room.end()
  }
}

/** A session of another organization is not there. */
const roomOf = (rooms: Rooms, { caller }: Owner, id: unknown): Room => {
  if (typeof id !== 'string')
    throw new RpcError(codes.invalidParams, "Invalid params - 'session_id' is required")
  const room = rooms.find(id)
  if (room?.organizationId === caller.organizationId) return room
  throw new RpcError(codes.invalidParams, `Unknown session_id: ${id.slice(0, 100)}`)
}
