import { allRoutes, type RouteName, type RouteSpec } from '@diorama/contract'
import { namespaces } from '@diorama/contract/namespaces'
import { z } from 'zod'
import type { Answer, Call } from './call.ts'
import { curlText } from './curl.ts'
import { pythonText } from './python.ts'
import { pathExample, requestExamples } from './requests.ts'
import { typescriptText } from './typescript.ts'
import { blueprintSamples } from './with-blueprint.ts'

export interface CodeSample {
  readonly lang: 'curl' | 'typescript' | 'python'
  readonly label: string
  readonly source: string
}

const places = new Map(
  Object.entries(namespaces).flatMap(([space, methods]) =>
    Object.entries(methods).map(([method, name]) => [name as string, { space, method }] as const),
  ),
)

/** How to make this request with curl and with the clients, as their users would write it. */
export const codeSamples = (name: string, baseUrl: string): CodeSample[] => {
  const route: RouteSpec = allRoutes[name as RouteName]
  const place = places.get(name)
  if (!place) throw new Error(`${name} has no place in the clients`)
  const call: Call = {
    route,
    ...place,
    example: requestExamples[name as RouteName] ?? {},
    path: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => [one, pathExample(route.path, one)]),
    answer: answerOf(route),
  }
  const own = blueprintSamples(name)
  return [
    { lang: 'curl', label: 'curl', source: curlText(call, baseUrl, own?.curl) },
    { lang: 'typescript', label: 'TypeScript', source: typescriptText(call, baseUrl, own?.typescript) },
    { lang: 'python', label: 'Python', source: pythonText(call, baseUrl, own?.python) },
  ]
}

const answerOf = ({ gives, reply }: RouteSpec): Answer => {
  if (gives === 'text/event-stream') return 'stream'
  if (gives !== undefined) return /^text\/|xml/.test(gives) ? 'text' : 'bytes'
  if (reply === undefined) return 'nothing'
  const shape = reply instanceof z.ZodObject ? reply.def.shape : {}
  return 'items' in shape && 'next_cursor' in shape ? 'list' : 'json'
}
