import type { RouteSpec } from '@diorama/contract'
import { fieldName, parameterName, snakeName } from '@diorama/contract/python-names'
import { z } from 'zod'
import { type Answer, type Call, fileName, itemName } from './call.ts'
import { pythonLiteral } from './literals.ts'

export const pythonText = (call: Call, baseUrl: string, own?: string): string => {
  const { route, example, space, method, path, answer } = call
  const taken = new Set([...path.map(([name]) => parameterName(name)), 'options', 'self'])
  const isPositional = Array.isArray(example.body) || route.body instanceof z.ZodRecord
  const named = Object.entries(example.query ?? (isPositional ? {} : (example.body ?? {}))).map(
    ([wire, value]) => [fieldName(wire, taken), value] as readonly [string, unknown],
  )
  const write = (indent: string) => [
    ...path.map(([, value]) => pythonLiteral(value)),
    ...(own === undefined ? [] : [own]),
    ...(example.file === undefined ? [] : [`Path(${pythonLiteral(example.file)}).read_bytes()`]),
    ...(isPositional ? [pythonLiteral(example.body, indent)] : []),
    ...named.map(([name, value]) => `${name}=${pythonLiteral(value, indent)}`),
  ]
  const start = `client.${snakeName(space)}.${snakeName(method)}(`
  const short = `${start}${write('').join(', ')})`
  const isLong = short.length > 80 || short.includes('\n')
  const spoken = isLong
    ? `${start}\n${write('    ')
        .map((one) => `    ${one},`)
        .join('\n')}\n)`
    : short
  return [
    ...(own === undefined ? [] : ['import json']),
    ...((example.file ?? own ?? (answer === 'bytes' ? '' : undefined)) === undefined
      ? []
      : ['from pathlib import Path', '']),
    'from diorama import Diorama',
    '',
    `client = Diorama(${pythonLiteral(baseUrl)})${route.scope === 'none' ? '' : '  # the key is in DIORAMA_API_KEY'}`,
    '',
    pythonStatement(spoken, answer, route),
  ].join('\n')
}

const pythonStatement = (spoken: string, answer: Answer, route: RouteSpec): string => {
  const item = snakeName(itemName(route))
  if (answer === 'nothing') return spoken
  if (answer === 'bytes') return `Path("${fileName(route)}").write_bytes(${spoken})`
  if (answer === 'list' || answer === 'stream') return `for ${item} in ${spoken}:\n    print(${item})`
  return `reply = ${spoken}\nprint(reply)`
}
