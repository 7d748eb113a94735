import type { ChatHost } from './client.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown>
}

/** Calls a method without a client between, to see what is on the wire. */
export const raw = async (
  chat: ChatHost,
  path: string,
  init: RequestInit & { token?: string | null } = {},
): Promise<RawAnswer> => {
  const { token = chat.host.token, ...rest } = init
  const headers = new Headers(init.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  const reply = await fetch(`${chat.host.baseUrl}/api/${path}`, { redirect: 'manual', ...rest, headers })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, text, body: JSON.parse(text) }
}

/** Sends arguments as JSON. */
export const rawJson = (
  chat: ChatHost,
  method: string,
  args: unknown,
  type = 'application/json; charset=utf-8',
) => raw(chat, method, { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(args) })

export const rawForm = (chat: ChatHost, method: string, args: Record<string, string>) =>
  raw(chat, method, { method: 'POST', body: new URLSearchParams(args) })
