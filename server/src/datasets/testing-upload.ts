import type { TestService } from '../testing.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape.
export type Any = any

export interface Uploaded {
  readonly status: number
  readonly body: Any
  readonly text: string
}

/** Sends a dataset to the service, as its clients do; rows of NDJSON unless another type is given. */
export const uploadDataset = async (
  { baseUrl, key }: TestService,
  body: string | Uint8Array,
  { type = 'application/x-ndjson', query }: { type?: string; query: Readonly<Record<string, string>> },
): Promise<Uploaded> => {
  const reply = await fetch(`${baseUrl}/v1/datasets?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const text = await reply.text()
  return { status: reply.status, body: JSON.parse(text), text }
}
