import type { Acts } from '@diorama/twin-kit/kernel/twin'
import { rootFields, trackerSchema } from '../graphql/engine.ts'
import { operationName } from '../graphql/resolvers.ts'
import { operations } from '../operations/index.ts'
import type { FieldModel } from '../schema/model.ts'
import type { TrackerTables } from '../tables.ts'

/** People act by the names of the API's mutations, such as `issueUpdate`; the input is the arguments by their names. */
export const acts: Acts<TrackerTables> = {
  knows: (operation) => {
    const { name } = mutationNamed(operation) ?? {}
    return name !== undefined && operationName('mutation', name) in operations
  },
  request: ({ operation, input, token }) => ({
    method: 'POST',
    path: '/graphql',
    query: '',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ query: documentOf(operation, Object.keys(input)), variables: input })),
  }),
  refuses: ({ status, body }) => status >= 400 || (typeof body === 'string' && body.startsWith('{"errors":')),
  answer: ({ where }, text) => ({ operation: 'commentCreate', input: { input: { ...where, body: text } } }),
}

/** By the field's own name, or as the ledger records it (`mutation IssueUpdate`). */
const mutationNamed = (operation: string): FieldModel | undefined =>
  rootFields('Mutation').find(
    ({ name }) => name === operation || operationName('mutation', name) === operation,
  )

/** One mutation with each given argument as a variable; arguments that it does not take are left to the service to refuse. */
const documentOf = (operation: string, given: readonly string[]): string => {
  const field = mutationNamed(operation)
  if (!field) return `mutation { ${operation.replaceAll(/\W/g, '')} }`
  const types = new Map((field.args ?? []).map(({ name, type }) => [name, type]))
  const typed = given.map((name) => `$${name}: ${types.get(name) ?? 'String'}`)
  const passed = given.map((name) => `${name}: $${name}`)
  const declared = typed.length === 0 ? '' : `(${typed.join(', ')})`
  const args = passed.length === 0 ? '' : `(${passed.join(', ')})`
  return `mutation ${declared} { ${field.name}${args} ${isObject(field) ? '{ __typename }' : ''} }`
}

const isObject = ({ type }: FieldModel): boolean => {
  const kind = trackerSchema.get().types.get(type.replaceAll(/\W/g, ''))?.kind
  return kind !== undefined && kind !== 'scalar' && kind !== 'enum'
}
