import { Documents } from '@diorama/twin-kit/wires/graphql'
import type { GraphQLSchema } from 'graphql'
import type { Types } from '../lists/filter.ts'
import { buildSchema } from '../schema/build.ts'
import { loadModel } from '../schema/load.ts'
import type { FieldModel } from '../schema/model.ts'
import { Complexities } from './complexity.ts'
import { makeResolvers } from './resolvers.ts'

/** The live schema with what is remembered about the documents run against it. */
export interface LiveSchema {
  readonly schema: GraphQLSchema
  readonly types: Types
  readonly documents: Documents
  readonly complexities: Complexities
}

/** Makes the schema from the installed client package, or from what an earlier start kept of it in `cacheDir`. */
export const loadSchema = (options: { cacheDir?: string } = {}): LiveSchema => {
  const model = loadModel(options)
  const types: Types = new Map(model.types.map((type) => [type.name, type]))
  const schema = buildSchema(model, makeResolvers(types))
  return { schema, types, documents: new Documents(schema), complexities: new Complexities(schema) }
}

/**
 * The schema is one for all twins of a process and is made when the first of them is asked something. It holds no
 * state of any world.
 */
class SchemaHolder {
  #cacheDir: string | undefined
  #live: LiveSchema | undefined

  /** Keeps the schema in this folder from one start to the next; to be called before the first request. */
  useCache(cacheDir: string): void {
    this.#cacheDir = cacheDir
  }

  get(): LiveSchema {
    this.#live ??= loadSchema(this.#cacheDir === undefined ? {} : { cacheDir: this.#cacheDir })
    return this.#live
  }
}

export const trackerSchema = new SchemaHolder()

export const rootFields = (root: 'Query' | 'Mutation' | 'Subscription'): readonly FieldModel[] =>
  trackerSchema.get().types.get(root)?.fields ?? []
