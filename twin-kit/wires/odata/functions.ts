import { escapeXml } from '../xml.ts'
import { json, xml } from './answers.ts'
import type { Answer, Context, Format } from './context.ts'
import { fault } from './faults.ts'
import { type EdmRow, type EdmValue, type EdmValues, type FunctionImport, setOf } from './model.ts'
import { type Parameters, parseShape, type Shape } from './query/options.ts'
import { tokens } from './values/lexer.ts'
import { literalValue } from './values/literals.ts'
import { heldValue, jsonText, plainText } from './values/values.ts'

export interface FunctionRequest {
  readonly called: FunctionImport
  readonly method: string
  readonly parameters: Parameters
  readonly format: Format
  readonly context: Context
  /** Writes one entity, for functions that return one. */
  readonly entity: (written: {
    readonly context: Context
    readonly shape: Shape
    readonly row: EdmRow
    readonly format: Format
    readonly status: number
  }) => Answer
}

/** Runs a function import. Its parameters are literals of the query. */
export const callFunction = ({
  called,
  method,
  parameters,
  format,
  context,
  entity,
}: FunctionRequest): Answer => {
  if (method !== called.method) throw fault('method_not_allowed', { method })
  const values = argumentsOf(called, parameters)
  if (!context.implemented(called.operation)) throw fault('not_implemented', { name: called.operation })
  const result = context.session.call<unknown>(called.operation, values)
  if (called.set !== undefined) {
    const shape = parseShape(context.service, setOf(context.service, called.set), new Map())
    return entity({ context, shape, row: result as EdmRow, format, status: 200 })
  }
  const rows = called.many ? (result as readonly EdmValues[]) : [result as EdmValues]
  return format === 'json'
    ? json(resultJson(called, context.service.name, rows))
    : xml(resultXml(called, rows), 'application/xml')
}

const argumentsOf = (called: FunctionImport, parameters: Parameters): Record<string, EdmValue> => {
  const values: Record<string, EdmValue> = {}
  for (const parameter of called.parameters) {
    const text = parameters.get(parameter.name)
    if (text === undefined) {
      if (parameter.nullable) continue
      throw fault('invalid_parameter', { name: parameter.name })
    }
    const [literal, more] = tokens(text)
    const fitted =
      literal?.kind === 'literal' && !more && literalValue(parameter, literal.literal, literal.text)
    if (!fitted) throw fault('malformed_uri')
    values[parameter.name] = fitted.value
  }
  return values
}

const resultJson = (called: FunctionImport, service: string, rows: readonly EdmValues[]): string => {
  const { name, properties } = called.returns
  const objects = rows.map((row) => {
    const fields = properties.map((each) => `,"${each.name}":${jsonText(each, heldValue(row, each))}`)
    return `{"__metadata":{"type":"${service}.${name}"}${fields.join('')}}`
  })
  return called.many ? `{"d":{"results":[${objects.join(',')}]}}` : `{"d":{"${called.name}":${objects[0]}}}`
}

const dataservices = 'http://schemas.microsoft.com/ado/2007/08/dataservices'

const resultXml = (called: FunctionImport, rows: readonly EdmValues[]): string => {
  const fields = (row: EdmValues) =>
    called.returns.properties
      .map((each) => `<d:${each.name}>${escapeXml(plainText(each, heldValue(row, each)))}</d:${each.name}>`)
      .join('')
  const inside = called.many
    ? rows.map((row) => `<d:element>${fields(row)}</d:element>`).join('')
    : fields(rows[0] ?? {})
  return `<?xml version="1.0" encoding="utf-8"?><d:${called.name} xmlns:d="${dataservices}">${inside}</d:${called.name}>`
}
