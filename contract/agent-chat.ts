import { z } from 'zod'
import { AgentVersionName } from './agents.ts'
import { PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const ChatMessage = z
  .object({ role: z.enum(['user', 'assistant']), text: z.string(), created_at: Timestamp })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.infer<typeof ChatMessage>

/** One thing that was done on the way to a reply, in the shape of a trial's steps. */
export const AgentStep = z
  .object({
    kind: z.enum(['setup', 'agent', 'model', 'tool_call']),
    name: z.string(),
    status: z.enum(['succeeded', 'failed', 'cancelled']),
    started_at: Timestamp,
    duration_ms: z.number(),
    detail: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'AgentStep' })
export type AgentStep = z.infer<typeof AgentStep>

export const ChatTurn = z
  .object({
    id: z.string(),
    status: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
    messages: z.array(ChatMessage),
    steps: z.array(AgentStep),
    trace_id: z.string(),
    usage: z.object({ input_tokens: z.int(), output_tokens: z.int() }),
    cost_usd: z.number().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ChatTurn' })
export type ChatTurn = z.infer<typeof ChatTurn>

export const ChatSession = z
  .object({
    id: z.string(),
    agent: z.string().meta({ description: 'name@version' }),
    world_id: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    busy: z.boolean().meta({ description: 'A message is being answered.' }),
    message_count: z.int(),
  })
  .meta({ id: 'ChatSession' })
export type ChatSession = z.infer<typeof ChatSession>

export const ChatHistory = ChatSession.extend({
  messages: z.array(ChatMessage).meta({ description: 'The whole conversation, oldest first.' }),
  turns: z.array(ChatTurn).meta({ description: 'How each reply came about, oldest first.' }),
}).meta({ id: 'ChatHistory' })

const agentParams = z.object({ name: z.string() })
const sessionParams = z.object({ name: z.string(), sessionId: z.string() })

export const agentChatRoutes = routes({
  startChat: {
    method: 'POST',
    path: '/v1/agents/{name}/chat/sessions',
    tag: 'Agents',
    summary: 'Start a chat session with the current version or a named one, in a world or without.',
    scope: 'agents:write',
    params: agentParams,
    body: z
      .object({
        version: z.union([z.literal('current'), AgentVersionName]).default('current'),
        world_id: z.string().max(200).nullable().default(null),
      })
      .meta({ id: 'ChatStart' }),
    bodyOptional: true,
    status: 201,
    reply: ChatSession,
    creates: true,
    errors: ['not_found', 'conflict', 'not_configured', 'sandbox_denied', 'sandbox_unavailable'],
  },
  listChats: {
    method: 'GET',
    path: '/v1/agents/{name}/chat/sessions',
    tag: 'Agents',
    summary: 'List the chat sessions with an agent, newest first.',
    scope: 'agents:read',
    params: agentParams,
    query: PageQuery,
    reply: pageOf(ChatSession),
    errors: ['not_found', 'invalid_cursor'],
  },
  readChat: {
    method: 'GET',
    path: '/v1/agents/{name}/chat/sessions/{sessionId}',
    tag: 'Agents',
    summary: 'Read a session with its whole conversation.',
    scope: 'agents:read',
    params: sessionParams,
    reply: ChatHistory,
    errors: ['not_found'],
  },
  sendChatMessage: {
    method: 'POST',
    path: '/v1/agents/{name}/chat/sessions/{sessionId}/messages',
    tag: 'Agents',
    summary: 'Send a message and get the reply. It is cancelled when the caller goes away.',
    scope: 'agents:write',
    params: sessionParams,
    body: z.object({ text: z.string().min(1).max(100_000) }).meta({ id: 'ChatSend' }),
    reply: ChatTurn,
    creates: true,
    errors: [
      'not_found',
      'conflict',
      'not_configured',
      'limit_exceeded',
      'sandbox_denied',
      'model_failed',
      'sandbox_unavailable',
    ],
  },
  cancelChat: {
    method: 'POST',
    path: '/v1/agents/{name}/chat/sessions/{sessionId}/cancel',
    tag: 'Agents',
    summary: 'Cancel the reply that is being made, wherever it runs.',
    scope: 'agents:write',
    params: sessionParams,
    status: 202,
    reply: ChatSession,
    errors: ['not_found'],
  },
})
