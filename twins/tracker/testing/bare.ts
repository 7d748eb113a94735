import { LinearDocument } from '@linear/sdk'
import { executeSync, parse } from 'graphql'
import { buildSchema } from '../schema/build.ts'
import { loadModel } from '../schema/load.ts'

/** Documents that the vendor's client sends, for benchmarks. */
export const clientDocuments = {
  issues: String(LinearDocument.IssuesDocument),
  updateIssue: String(LinearDocument.UpdateIssueDocument),
}

/** The engine alone: a document run over a constant, with nothing of a twin in it. */
export const bareExecution = (text: string, constant: unknown, variables: Record<string, unknown>) => {
  const schema = buildSchema(loadModel(), () => undefined)
  const document = parse(text)
  return (): string =>
    JSON.stringify(executeSync({ schema, document, rootValue: constant, variableValues: variables }))
}
