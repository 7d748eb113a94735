import { type DocumentNode, Kind, parse, print } from 'graphql'
import { trackerSchema } from '../graphql/engine.ts'

export interface SdkDocument {
  readonly name: string
  readonly text: string
  readonly root: 'query' | 'mutation'
  readonly field: string
}

/** Every document that a version of the client can send. */
export const documentsOf = (exported: object): SdkDocument[] =>
  Object.entries(exported)
    .filter(([name]) => name.endsWith('Document'))
    .map(([name, value]: [string, unknown]) => {
      const text =
        typeof value === 'object' && value !== null && 'kind' in value
          ? print(value as DocumentNode)
          : String(value)
      const operation = parse(text).definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)
      const first = operation?.selectionSet.selections[0]
      const field = first?.kind === Kind.FIELD ? first.name.value : ''
      return { name, text, root: operation?.operation === 'mutation' ? 'mutation' : 'query', field }
    })

/** Names of the documents that do not fit the schema. */
export const invalid = (documents: readonly SdkDocument[]): string[] =>
  documents
    .filter(({ text }) => trackerSchema.get().documents.get(text).errors.length > 0)
    .map(({ name }) => name.replace(/Document$/, ''))
