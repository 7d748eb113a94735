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
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

/** What one query may cost, and what a caller may spend in an hour. */
export const maxComplexity = 10_000
export const hourly = { requests: 2_500, complexity: 3_000_000 }

const property = 0.1
const object = 1
const defaultPage = 50
/** Costs saturate here, so that a product of page sizes stays an ordinary number. */
const saturated = 1e12
/** How deep an answer may nest, fragments expanded. */
const maxDepth = 100

type Variables = Readonly<Record<string, unknown>>

/** One evaluation: the variables, and the cost of each fragment once it is known. */
interface Evaluation {
  readonly variables: Variables
  readonly fragments: Map<string, number>
}
type Cost = (evaluation: Evaluation) => number

/** Thrown for a document whose answer would nest too deep. */
export class TooDeep extends Error {
  constructor() {
    super(`The query is nested more than ${maxDepth} deep.`)
  }
}

/**
 * Counts what a query asks for: a tenth for a property, one for an object, and a list as often as its page is long.
 * Each fragment is compiled once for a document and evaluated once for a request, so that both take time linear in
 * the document's size however often fragments spread each other.
 */
export class Complexities {
  readonly #schema: GraphQLSchema
  readonly #compiled = new WeakMap<OperationDefinitionNode, Cost>()

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  /** The cost of an operation of a valid document; throws `TooDeep`. */
  of(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): number {
    const cost = this.#compiled.get(operation) ?? this.#compile(document, operation)
    this.#compiled.set(operation, cost)
    return cost({ variables: { ...defaultsOf(operation), ...variables }, fragments: new Map() })
  }

  #compile(document: DocumentNode, operation: OperationDefinitionNode): Cost {
    const fragments = new Map(
      document.definitions
        .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((node) => [node.name.value, node]),
    )
    const type = this.#schema.getRootType(operation.operation)
    if (!type) return () => 0
    const compiler: Compiler = { schema: this.#schema, fragments, compiled: new Map() }
    return compileSelection(compiler, { selection: operation.selectionSet, type, depth: 0 }).cost
  }
}

/** Page sizes that the operation itself declares as defaults of its variables. */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  )

interface Compiler {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly compiled: Map<string, Compiled>
}
interface Compiled {
  readonly cost: Cost
  /** How many levels of fields there are below. */
  readonly height: number
}
interface Place {
  readonly selection: SelectionSetNode
  readonly type: GraphQLCompositeType
  readonly depth: number
}

const compileSelection = (compiler: Compiler, { selection, type, depth }: Place): Compiled => {
  const parts = selection.selections.map((node): Compiled => {
    if (node.kind === Kind.FIELD) return compileField(compiler, { node, type, depth: depth + 1 })
    if (node.kind === Kind.FRAGMENT_SPREAD) return compileFragment(compiler, node.name.value, depth)
    const inner = conditionType(compiler, node.typeCondition?.name.value) ?? type
    return compileSelection(compiler, { selection: node.selectionSet, type: inner, depth })
  })
  return {
    cost: (evaluation) => saturate(parts.reduce((sum, part) => sum + part.cost(evaluation), 0)),
    height: parts.reduce((height, part) => Math.max(height, part.height), 0),
  }
}

/** A fragment costs the same wherever it is spread, because its type condition says what it is about. */
const compileFragment = (compiler: Compiler, name: string, depth: number): Compiled => {
  const known = compiler.compiled.get(name)
  if (known) {
    if (depth + known.height > maxDepth) throw new TooDeep()
    return known
  }
  const fragment = compiler.fragments.get(name)
  const type = conditionType(compiler, fragment?.typeCondition.name.value)
  if (!fragment || !type) return free
  const { cost, height } = compileSelection(compiler, { selection: fragment.selectionSet, type, depth })
  const compiled: Compiled = {
    cost: (evaluation) => {
      const evaluated = evaluation.fragments.get(name) ?? cost(evaluation)
      evaluation.fragments.set(name, evaluated)
      return evaluated
    },
    height,
  }
  compiler.compiled.set(name, compiled)
  return compiled
}

const conditionType = ({ schema }: Compiler, name: string | undefined): GraphQLCompositeType | undefined => {
  const type = name === undefined ? undefined : schema.getType(name)
  return isCompositeType(type) ? type : undefined
}

const free: Compiled = { cost: () => 0, height: 0 }

const compileField = (
  compiler: Compiler,
  { node, type: parent, depth }: { node: FieldNode; type: GraphQLCompositeType; depth: number },
): Compiled => {
  if (depth > maxDepth) throw new TooDeep()
  const name = node.name.value
  if (name === '__typename') return { cost: () => (node.alias ? property : 0), height: 1 }
  const field = metaFields[name] ?? fieldOf(parent, name)
  if (!field) return free
  const type = getNamedType(field.type)
  if (!isCompositeType(type) || !node.selectionSet) return { cost: () => property, height: 1 }
  const { cost, height } = compileSelection(compiler, { selection: node.selectionSet, type, depth })
  // What is asked about the schema is bounded by the size of its answer instead.
  if (name in metaFields) return { cost: () => 0, height: height + 1 }
  if (!field.args.some((argument) => argument.name === 'first'))
    return { cost: (evaluation) => saturate(object + cost(evaluation)), height: height + 1 }
  const size = pageSize(node.arguments ?? [])
  return {
    cost: (evaluation) => saturate(size(evaluation.variables) * cost(evaluation)),
    height: height + 1,
  }
}

const metaFields: Readonly<Record<string, typeof SchemaMetaFieldDef>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
}

const fieldOf = (parent: GraphQLCompositeType, name: string) =>
  isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined

const saturate = (cost: number): number => Math.min(cost, saturated)

const pageSize = (given: readonly ArgumentNode[]): ((variables: Variables) => number) => {
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
