import type { RouteName, RouteSpec, Routes, WorldBlueprintInput } from '@diorama/contract'
import type { Namespaces } from '@diorama/contract/namespaces'
import type { z } from 'zod'
import type { Camelized } from './casing.ts'
import type { StreamItems } from './stream.ts'
import type { RequestOptions } from './transport.ts'

/** One argument for each parameter of a path, in its order. */
type PathArguments<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [string, ...PathArguments<Rest>]
  : []

/** A blob may be a file: it is sent as it is read. */
type Bytes = Uint8Array | string | Blob

/** Everything in a query can be left out, also by giving undefined. */
type QueryInput<Q> = { [K in keyof Q]?: Q[K] | undefined }

type InputArguments<R extends RouteSpec> = R extends { body: infer B extends z.ZodType }
  ? R extends { bodyOptional: true }
    ? [body?: Camelized<z.input<B>>]
    : [body: Camelized<z.input<B>>]
  : R extends { takes: readonly string[] }
    ? R extends { query: infer Q extends z.ZodType }
      ? [bytes: Bytes, query: Camelized<z.input<Q>>]
      : [bytes: Bytes]
    : R extends { query: infer Q extends z.ZodType }
      ? [query?: QueryInput<Camelized<z.output<Q>>>]
      : []

/** A page when it is awaited, and every item of this page and the next ones when it is iterated. */
export type Listing<Page, Item> = Promise<Page> & AsyncIterable<Item>

/** Free-form on the wire, and known here: what it gives can be launched as it is. */
interface KnownReplies {
  readonly readSampleBlueprint: WorldBlueprintInput
}

type Result<N extends RouteName, R extends RouteSpec> = N extends keyof StreamItems
  ? AsyncIterable<Camelized<z.output<StreamItems[N]['item']>>>
  : N extends keyof KnownReplies
    ? Promise<KnownReplies[N]>
    : R extends { gives: `text/${string}` | `application/xml${string}` }
      ? Promise<string>
      : R extends { gives: string }
        ? Promise<Uint8Array>
        : R extends { reply: infer S extends z.ZodType }
          ? z.output<S> extends { items: (infer Item)[]; next_cursor: string | null }
            ? Listing<Camelized<z.output<S>>, Camelized<Item>>
            : Promise<Camelized<z.output<S>>>
          : Promise<void>

export type Method<N extends RouteName> = (
  ...given: [
    ...PathArguments<Routes[N]['path']>,
    ...InputArguments<Routes[N]>,
    options?: RequestOptions | undefined,
  ]
) => Result<N, Routes[N]>

/** What an operation gives back, in the client's casing. */
export type Reply<N extends RouteName> = Awaited<ReturnType<Method<N>>>
/** What an operation takes as its body, in the client's casing. */
export type Body<N extends RouteName> = Routes[N] extends { body: infer B extends z.ZodType }
  ? Camelized<z.input<B>>
  : never

/** The methods of the client, as the table of namespaces says. */
export type Methods = {
  readonly [S in keyof Namespaces]: {
    readonly [M in keyof Namespaces[S]]: Namespaces[S][M] extends RouteName ? Method<Namespaces[S][M]> : never
  }
}
