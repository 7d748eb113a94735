import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getVariableValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

type VariableValues = Parameters<typeof getArgumentValues>[2]

/** How much one call may ask of the schema: the characters of the answer, and the values looked at to make it. */
export const introspectionLimits = { maxCharacters: 8_000_000, maxSteps: 300_000 }

/** Thrown when the answer would exceed the limits; it is detected before the answer is written out. */
export class IntrospectionTooLarge extends Error {}

/** The root fields that ask about the schema. */
const metaFields: Readonly<Record<string, GraphQLField<unknown, unknown>>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
}
export const isMetaField = (name: string): boolean => name in metaFields

/**
 * Answers `__schema` and `__type`. The engine can do this too, but takes 150 ms for a full schema and cannot be
 * stopped. Here the answer of each (selection, type) pair is memoised, so that the same fragment over the same type
 * is one object however often it occurs, and the size of the answer is known before it is serialized.
 */
export const introspect = ({
  schema,
  document,
  operation,
  variables,
}: {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Readonly<Record<string, unknown>>
}): Record<string, unknown> => {
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
  if (coerced.errors) throw new AggregateError(coerced.errors, 'the variables do not fit')
  const projector = new Projector(schema, document, coerced.variableValues)
  const answer: Record<string, unknown> = {}
  for (const [name, nodes] of projector.collect([operation.selectionSet])) {
    const node = nodes[0]
    const field = node && metaFields[node.name.value]
    if (field) answer[name] = projector.root(field, nodes)
  }
  return answer
}

interface Answer {
  readonly value: unknown
  readonly characters: number
}
const nothing: Answer = { value: null, characters: 4 }

/** One merged selection over one of the schema's own types, with what it answered for each object so far. */
interface Selection {
  readonly fields: readonly CompiledField[]
  readonly answers: Map<unknown, Answer>
}
interface CompiledField {
  readonly name: string
  /** Undefined for `__typename`. */
  readonly field: GraphQLField<unknown, unknown> | undefined
  readonly typename: string
  readonly args: Record<string, unknown>
  readonly inner: Selection | undefined
}

class Projector {
  readonly #schema: GraphQLSchema
  readonly #variables: VariableValues
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #ids = new Map<SelectionSetNode, number>()
  readonly #selections = new Map<string, Selection>()
  #steps = 0
  #characters = 0

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: VariableValues) {
    this.#schema = schema
    this.#variables = variables
    this.#fragments = new Map(
      document.definitions
        .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((node) => [node.name.value, node]),
    )
  }

  root(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]): unknown {
    const args = nodes[0] ? getArgumentValues(field, nodes[0], this.#variables) : {}
    const source = field.resolve?.(undefined, args, undefined, infoOf(this.#schema))
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return null
    const answer = this.#complete(field.type, source, this.#compile(selectionSets(nodes), type))
    this.#characters += answer.characters
    this.#check(this.#characters)
    return answer.value
  }

  /** The fields that some selection sets select together, by response name; each fragment is visited once. */
  collect(sets: readonly SelectionSetNode[]): Map<string, FieldNode[]> {
    const fields = new Map<string, FieldNode[]>()
    const visited = new Set<string>()
    const visit = ({ selections }: SelectionSetNode): void => {
      for (const node of selections) {
        this.#step()
        if (!this.#included(node)) continue
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value
          const known = fields.get(name)
          if (known) known.push(node)
          else fields.set(name, [node])
        } else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet)
        else if (!visited.has(node.name.value)) {
          visited.add(node.name.value)
          const fragment = this.#fragments.get(node.name.value)
          if (fragment) visit(fragment.selectionSet)
        }
      }
    }
    for (const set of sets) visit(set)
    return fields
  }

  #included(node: SelectionNode): boolean {
    if (!node.directives || node.directives.length === 0) return true
    const skip = getDirectiveValues(GraphQLSkipDirective, node, this.#variables)
    const include = getDirectiveValues(GraphQLIncludeDirective, node, this.#variables)
    return skip?.if !== true && include?.if !== false
  }

  #compile(sets: readonly SelectionSetNode[], type: GraphQLObjectType): Selection {
    const key = [...new Set(sets.map((set) => this.#idOf(set)))].sort((a, b) => a - b).join(' ')
    const known = this.#selections.get(key)
    if (known) return known
    const fields: CompiledField[] = []
    const selection: Selection = { fields, answers: new Map() }
    this.#selections.set(key, selection)
    for (const [name, nodes] of this.collect(sets)) {
      const node = nodes[0]
      if (!node) continue
      const field = type.getFields()[node.name.value]
      const target = field && getNamedType(field.type)
      fields.push({
        name,
        field,
        typename: type.name,
        args: field ? getArgumentValues(field, node, this.#variables) : {},
        inner: isObjectType(target) ? this.#compile(selectionSets(nodes), target) : undefined,
      })
    }
    return selection
  }

  #idOf(set: SelectionSetNode): number {
    const known = this.#ids.get(set) ?? this.#ids.size
    this.#ids.set(set, known)
    return known
  }

  #project(source: unknown, selection: Selection): Answer {
    const known = selection.answers.get(source)
    if (known) return known
    const value: Record<string, unknown> = {}
    let characters = 2
    for (const { name, field, typename, args, inner } of selection.fields) {
      this.#step()
      const part = field
        ? this.#complete(field.type, field.resolve?.(source, args, undefined, infoOf(this.#schema)), inner)
        : { value: typename, characters: typename.length + 2 }
      value[name] = part.value
      characters += name.length + 4 + part.characters
      this.#check(characters)
    }
    const answer = { value, characters }
    selection.answers.set(source, answer)
    return answer
  }

  #complete(type: GraphQLOutputType, value: unknown, inner: Selection | undefined): Answer {
    if (isNonNullType(type)) return this.#complete(type.ofType, value, inner)
    if (value === null || value === undefined) return nothing
    if (isListType(type)) {
      const parts = Array.from(value as Iterable<unknown>, (item) => this.#complete(type.ofType, item, inner))
      const characters = parts.reduce((sum, part) => sum + part.characters + 1, 2)
      this.#check(characters)
      return { value: parts.map((part) => part.value), characters }
    }
    if (isLeafType(type)) {
      const text = type.coerceOutputValue(value)
      return { value: text, characters: typeof text === 'string' ? text.length + 2 : 5 }
    }
    return inner ? this.#project(value, inner) : nothing
  }

  #step(): void {
    this.#steps++
    if (this.#steps > introspectionLimits.maxSteps) throw new IntrospectionTooLarge()
  }

  #check(characters: number): void {
    if (characters > introspectionLimits.maxCharacters) throw new IntrospectionTooLarge()
  }
}

/** The schema's own resolvers read nothing of the execution but the schema. */
const infoOf = (schema: GraphQLSchema): never => ({ schema }) as never

const selectionSets = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
