import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'

/**
 * One operation of the service, as data. The server mounts it, the reference shows it, and the clients are made from
 * it, so that none of them can say something else than the others.
 */
export interface RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are in braces: `/v1/twins/{twinId}`. */
  readonly path: `/${string}`
  readonly tag: string
  readonly summary: string
  /** The scope a key needs; `any` key, an `operator` key, or `none` at all. */
  readonly scope: Scope | 'any' | 'operator' | 'none'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** A JSON body. */
  readonly body?: z.ZodType
  /** A request without a body counts as one with an empty object. */
  readonly bodyOptional?: true
  /** Content types of a body that the handler reads on its own, as bytes. */
  readonly takes?: readonly string[]
  readonly bodyLimit?: 'bundle'
  /** The body is handed on while it arrives, whatever its type, up to the limit for datasets. */
  readonly streams?: true
  /** The status of success; 200 when left out. */
  readonly status?: 200 | 201 | 202 | 204
  /** Another status that a success can have, such as 200 where the record was there already. */
  readonly otherStatus?: 200 | 201
  /** Content types of the reply besides JSON. */
  readonly repliesAs?: readonly string[]
  /** A JSON reply; left out for 204 and where `gives` says what the bytes are. */
  readonly reply?: z.ZodType
  /** The content type of a reply that is not JSON. */
  readonly gives?: string
  readonly errors?: readonly ErrorCode[]
  /** Makes something new, so that the header `Idempotency-Key` works on it. */
  readonly creates?: true
  /** The reply holds a secret that is shown once: kept for idempotency only under lock. */
  readonly secret?: true
  /** A body of the wrong shape is answered with this code; `malformed` when left out. */
  readonly shapeError?: 'invalid_shape'
  /** Below this pointer unknown fields are accepted, and handed to the handler to warn about. */
  readonly looseBelow?: string
}

/** Keeps the exact types of a table of routes. */
export const routes = <const T extends Record<string, RouteSpec>>(table: T): T => table

type Parsed<S, Otherwise> = S extends z.ZodType ? z.output<S> : Otherwise
type Sent<S, Otherwise> = S extends z.ZodType ? z.input<S> : Otherwise

export type ParamsOf<R extends RouteSpec> = Parsed<R['params'], Record<string, never>>
export type QueryOf<R extends RouteSpec> = Parsed<R['query'], Record<string, never>>
export type BodyOf<R extends RouteSpec> = Parsed<R['body'], undefined>
/** What a handler gives back; the edge fills in defaults. */
export type ReplyOf<R extends RouteSpec> = Sent<R['reply'], undefined>
