import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { sha256Of } from './canonical.ts'

/** One exchange with a provider, as a cassette keeps it: no header of the request, and no key. */
export const Recording = z.object({
  provider: z.string().max(200),
  wire: z.enum(['openai', 'anthropic', 'gemini']),
  operation: z.string().max(100),
  model: z.string().max(500).nullable(),
  /** The canonical request (`canonical.ts`). */
  request: z.string(),
  volatile: z.array(z.string()),
  reply: z.object({
    status: z.int().min(200).max(299),
    content_type: z.string().max(200),
    /** As they came; a stream is replayed in the same pieces. */
    chunks: z.array(z.string()),
  }),
  usage: z
    .object({
      input_tokens: z.int().min(0),
      output_tokens: z.int().min(0),
      cached_input_tokens: z.int().min(0),
    })
    .nullable(),
  cost_usd: z.number().nullable(),
  latency_ms: z.number().min(0),
})
export type Recording = z.infer<typeof Recording>

/** A recording in its place: which trial asked, and for which time that trial asked the same. */
export interface CassetteEntry {
  readonly requestSha256: string
  /** Agent, task and repetition. */
  readonly scope: string
  readonly ordinal: number
  readonly recording: Recording
}

const maxRecordingBytes = 64 * 1_048_576

export const pack = (recording: Recording): { readonly sha256: string; readonly data: Buffer } => {
  const text = JSON.stringify(recording)
  return { sha256: sha256Of(text), data: gzipSync(text, { level: 6 }) }
}

export const unpack = (data: Uint8Array): Recording =>
  Recording.parse(JSON.parse(gunzipSync(data, { maxOutputLength: maxRecordingBytes }).toString('utf8')))
