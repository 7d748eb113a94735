import type { RouteSpec } from '@diorama/contract'
import { camelize } from '@diorama/contract/casing'
import { type Answer, type Call, fileName, itemName } from './call.ts'
import { typescriptLiteral } from './literals.ts'

/** In the example, not here: this code reads no environment. */
const keyOfEnvironment = ['process', 'env', 'DIORAMA_API_KEY'].join('.')

export const typescriptText = (call: Call, baseUrl: string, own?: string): string => {
  const { route, example, space, method, path, answer } = call
  const query = example.query && route.query ? camelize(route.query, example.query) : undefined
  const body = example.body && route.body ? camelize(route.body, example.body) : undefined
  const given = [
    ...path.map(([, value]) => typescriptLiteral(value)),
    ...(own === undefined ? [] : [own]),
    ...(example.file === undefined ? [] : [`await readFile(${typescriptLiteral(example.file)})`]),
    ...(body === undefined ? [] : [typescriptLiteral(body)]),
    ...(query === undefined ? [] : [typescriptLiteral(query)]),
  ].join(', ')
  const spoken = `client.${space}.${method}(${given})`
  const files = [
    ...(example.file === undefined && own === undefined ? [] : ['readFile']),
    ...(answer === 'bytes' ? ['writeFile'] : []),
  ]
  const key = route.scope === 'none' ? '' : `, apiKey: ${keyOfEnvironment}`
  return [
    ...(files.length > 0 ? [`import { ${files.join(', ')} } from 'node:fs/promises'`] : []),
    "import { createClient } from '@diorama-dev/sdk'",
    '',
    `const client = createClient({ baseUrl: ${typescriptLiteral(baseUrl)}${key} })`,
    '',
    typescriptStatement(spoken, answer, route),
  ].join('\n')
}

const typescriptStatement = (spoken: string, answer: Answer, route: RouteSpec): string => {
  if (answer === 'nothing') return `await ${spoken}`
  if (answer === 'bytes') return `await writeFile('${fileName(route)}', await ${spoken})`
  if (answer === 'list' || answer === 'stream')
    return `for await (const ${itemName(route)} of ${spoken}) console.log(${itemName(route)})`
  return `const reply = await ${spoken}\nconsole.log(reply)`
}
