import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, readJson } from '@diorama/twin-kit/wires/rest'
import { type Org, orgOf } from '../records/org.ts'
import type { Schema } from '../schema/schema.ts'
import type { CountingSession } from './counting.ts'

/** One call of the REST API: a whole request, or one part of a composite one. */
export interface ApiCall {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyMap<string, string>
  readonly headers: Readonly<Record<string, string>>
  readonly raw: Uint8Array
  /** `62.0` */
  readonly version: string
  readonly session: CountingSession
  /** The schema as the caller sees it. */
  readonly schema: Schema
  /** The whole schema. */
  readonly wholeSchema: Schema
  /** Answers another call inside this one. */
  readonly inner: (call: InnerCall) => RestReply
}

export interface InnerCall {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const orgFor = (api: ApiCall): Org =>
  orgOf({
    schema: api.wholeSchema,
    tables: api.session.views,
    now: api.session.now,
    userId: api.session.actor?.id ?? '',
    baseUrl: api.session.baseUrl,
    version: api.version,
  })

export type Body = Readonly<Record<string, unknown>>

/** The JSON object that a call must carry. */
export const bodyOf = (api: Pick<ApiCall, 'raw'>): Body => {
  const read = readJson(api.raw)
  if (!read.ok)
    throw new VendorError(
      'JSON_PARSER_ERROR',
      read.reason === 'empty'
        ? 'The HTTP entity body is required, but this request has no entity body.'
        : `Unexpected character at [line:1, column:${columnOf(api.raw)}]`,
    )
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    throw new VendorError(
      'JSON_PARSER_ERROR',
      `Can not deserialize SObject out of ${Array.isArray(read.value) ? 'START_ARRAY' : 'VALUE'} token at [line:1, column:1]`,
    )
  return read.value as Body
}

/** How far the longest prefix goes that could still have become JSON: where a reader stumbles. */
const columnOf = (raw: Uint8Array): number => {
  const text = new TextDecoder().decode(raw)
  try {
    JSON.parse(text)
  } catch (error) {
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    if (at !== undefined) return Number(at) + 1
  }
  return text.length
}

export const isTrue = (value: unknown): boolean => String(value).toLowerCase() === 'true'

export const allowsDuplicates = (api: Pick<ApiCall, 'headers'>): boolean =>
  /allowsave\s*=\s*true/i.test(api.headers['sforce-duplicate-rule-header'] ?? '')
