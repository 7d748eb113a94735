import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** What one query may cost, and what a caller may spend in an hour. */
export const mostComplex = 10_000
export const hourly = { requests: 2_500, complexity: 3_000_000 }

const property = 0.1
const object = 1
const defaultPage = 50

type Variables = Readonly<Record<string, unknown>>
type Cost = (variables: Variables) => number

/** Counts what a query asks for: a tenth for a property, one for an object, and a list as often as its page is long. */
export class Complexities {
  readonly #schema: GraphQLSchema
  readonly #known = new WeakMap<OperationDefinitionNode, Cost>()

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  of(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): number {
    const known = this.#known.get(operation) ?? this.#compile(document, operation)
    this.#known.set(operation, known)
    return known(variables)
  }

  #compile(document: DocumentNode, operation: OperationDefinitionNode): Cost {
    const fragments = new Map(
      document.definitions
        .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((node) => [node.name.value, node]),
    )
    const root = this.#schema.getRootType(operation.operation)
    return root ? selected(operation.selectionSet, root, { schema: this.#schema, fragments }) : () => 0
  }
}

interface Scope {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

const selected = (selection: SelectionSetNode, type: GraphQLCompositeType, scope: Scope): Cost => {
  const parts = selection.selections.map((node): Cost => {
    if (node.kind === Kind.FIELD) return fieldCost(node, type, scope)
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(node.name.value) : node
    const condition = fragment?.typeCondition && scope.schema.getType(fragment.typeCondition.name.value)
    const inner = condition && isCompositeType(condition) ? condition : type
    return fragment ? selected(fragment.selectionSet, inner, scope) : () => 0
  })
  return (variables) => parts.reduce((sum, part) => sum + part(variables), 0)
}

const fieldCost = (node: FieldNode, parent: GraphQLCompositeType, scope: Scope): Cost => {
  const name = node.name.value
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  if (name.startsWith('__') || !field) return () => 0
  const type = getNamedType(field.type)
  if (!isCompositeType(type) || !node.selectionSet) return () => property
  const inner = selected(node.selectionSet, type, scope)
  const paged = field.args.some((argument) => argument.name === 'first')
  if (!paged) return (variables) => object + inner(variables)
  const size = pageSize(node.arguments ?? [])
  return (variables) => size(variables) * inner(variables)
}

const pageSize = (given: readonly ArgumentNode[]): Cost => {
  const argument = given.find(({ name }) => name.value === 'first' || name.value === 'last')
  return (variables) => {
    const value =
      argument?.value.kind === Kind.INT
        ? Number(argument.value.value)
        : argument?.value.kind === Kind.VARIABLE
          ? variables[argument.value.name.value]
          : undefined
    return typeof value === 'number' && value >= 0 ? value : defaultPage
  }
}
