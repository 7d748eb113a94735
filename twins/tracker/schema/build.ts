import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  type GraphQLType,
  GraphQLUnionType,
  isInputType,
  isOutputType,
} from 'graphql'
import { defaultValue, retiredArguments, retiredFields } from './defaults.ts'
import type { FieldModel, SchemaModel, TypeModel } from './model.ts'
import { makeScalar } from './scalars.ts'

// biome-ignore lint/suspicious/noExplicitAny: the engine passes each resolver its own parent and arguments.
export type Resolver = (source: any, args: any, context: any, info: any) => unknown

/** Says how a field is resolved; undefined reads the property of the same name. */
export type ResolverOf = (type: string, field: FieldModel) => Resolver | undefined

/** Turns the model into a live schema. Types refer to each other, so that their fields are made when first needed. */
export const buildSchema = (model: SchemaModel, resolverOf: ResolverOf): GraphQLSchema => {
  const types = new Map<string, GraphQLNamedType>(
    [GraphQLID, GraphQLString, GraphQLBoolean, GraphQLInt, GraphQLFloat].map((type) => [type.name, type]),
  )
  const scope: Scope = { types, parsed: new Map(), resolverOf }
  for (const type of model.types) types.set(type.name, makeType(type, scope))
  const root = (name: string) => {
    const type = types.get(name)
    return type instanceof GraphQLObjectType ? type : null
  }
  return new GraphQLSchema({
    query: root('Query'),
    mutation: root('Mutation'),
    subscription: root('Subscription'),
    types: [...types.values()],
    assumeValid: true,
  })
}

interface Scope {
  readonly types: ReadonlyMap<string, GraphQLNamedType>
  readonly parsed: Map<string, GraphQLType>
  readonly resolverOf: ResolverOf
}

const makeType = (type: TypeModel, scope: Scope): GraphQLNamedType => {
  const { name, description = null } = type
  const typename = (source: { __typename?: string }) => source.__typename
  switch (type.kind) {
    case 'scalar':
      return makeScalar(name, type.description)
    case 'enum':
      return new GraphQLEnumType({
        name,
        description,
        values: Object.fromEntries(
          (type.values ?? []).map((value) => [
            value.name,
            { description: value.description ?? null, deprecationReason: value.deprecated ?? null },
          ]),
        ),
      })
    case 'union':
      return new GraphQLUnionType({
        name,
        description,
        resolveType: typename,
        types: () => (type.members ?? []).map((member) => find(scope, member, GraphQLObjectType)),
      })
    case 'interface':
      return new GraphQLInterfaceType({
        name,
        description,
        resolveType: typename,
        interfaces: () => (type.interfaces ?? []).map((base) => find(scope, base, GraphQLInterfaceType)),
        fields: () => outputFields(type, scope),
      })
    case 'object':
      return new GraphQLObjectType({
        name,
        description,
        interfaces: () => (type.interfaces ?? []).map((base) => find(scope, base, GraphQLInterfaceType)),
        fields: () => outputFields(type, scope),
      })
    case 'input':
      return new GraphQLInputObjectType({ name, description, fields: () => inputFields(name, type, scope) })
  }
}

const outputFields = (type: TypeModel, scope: Scope): Record<string, GraphQLFieldConfig<unknown, unknown>> =>
  Object.fromEntries(
    [...(type.fields ?? []), ...(retiredFields[type.name] ?? [])].map((field: FieldModel) => {
      const place = `${type.name}.${field.name}`
      const args = [...(field.args ?? []), ...(retiredArguments[place] ?? [])]
      const resolve = type.kind === 'object' ? scope.resolverOf(type.name, field) : undefined
      return [
        field.name,
        {
          type: outputType(field.type, scope),
          description: field.description ?? null,
          deprecationReason: field.deprecated ?? null,
          ...(args.length > 0 ? { args: inputFields(place, { fields: args }, scope) } : {}),
          ...(resolve ? { resolve } : {}),
        },
      ]
    }),
  )

const inputFields = (place: string, { fields = [] }: { fields?: readonly FieldModel[] }, scope: Scope) =>
  Object.fromEntries(
    fields.map((field) => {
      const value = defaultValue(`${place}.${field.name}`)
      return [
        field.name,
        {
          type: inputType(field.type, scope),
          description: field.description ?? null,
          deprecationReason: field.deprecated ?? null,
          ...(value === undefined ? {} : { default: { value } }),
        },
      ]
    }),
  )

const outputType = (text: string, scope: Scope): GraphQLOutputType => {
  const type = parseType(text, scope)
  if (!isOutputType(type)) throw new Error(`${text} is no output type`)
  return type
}
const inputType = (text: string, scope: Scope): GraphQLInputType => {
  const type = parseType(text, scope)
  if (!isInputType(type)) throw new Error(`${text} is no input type`)
  return type
}

const parseType = (text: string, scope: Scope): GraphQLType => {
  const known = scope.parsed.get(text)
  if (known) return known
  const type = makeWrapped(text, scope)
  scope.parsed.set(text, type)
  return type
}

const makeWrapped = (text: string, scope: Scope): GraphQLType => {
  if (text.endsWith('!')) {
    const inner = parseType(text.slice(0, -1), scope)
    return inner instanceof GraphQLNonNull ? inner : new GraphQLNonNull(inner)
  }
  if (text.startsWith('[')) return new GraphQLList(parseType(text.slice(1, -1), scope))
  const type = scope.types.get(text)
  if (!type) throw new Error(`the schema has no type ${text}`)
  return type
}

const find = <C extends GraphQLNamedType>(
  scope: Scope,
  name: string,
  kind: abstract new (...args: never[]) => C,
): C => {
  const type = scope.types.get(name)
  if (type instanceof kind) return type
  throw new Error(`the schema has no ${kind.name} ${name}`)
}
