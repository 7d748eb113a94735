import type { RouteSpec } from '@diorama/contract'
import { camelKey } from '@diorama/contract/casing'
import type { RequestExample } from './requests.ts'

export type Answer = 'list' | 'stream' | 'text' | 'bytes' | 'nothing' | 'json'

/** A request of an example, and its place in the clients. */
export interface Call {
  readonly route: RouteSpec
  readonly example: RequestExample
  readonly space: string
  readonly method: string
  /** Values of the path's parameters, in its order. */
  readonly path: readonly (readonly [name: string, value: string])[]
  readonly answer: Answer
}

/** The name under which a reply of bytes is kept: as the path ends, or by its type. */
export const fileName = ({ path, gives = '' }: RouteSpec): string => {
  const last = path.slice(path.lastIndexOf('/') + 1)
  if (last.includes('.')) return last
  const ending = /ndjson/.test(gives)
    ? '.ndjson'
    : /jsonl/.test(gives)
      ? '.jsonl'
      : /gzip/.test(gives)
        ? '.tar.gz'
        : ''
  return `${last.replaceAll(/[{}]/g, '')}${/json;/.test(gives) ? '.json' : ending}`
}

/** What one item of a list is called: the last word of the path in the singular. */
export const itemName = ({ path, gives }: RouteSpec): string => {
  if (gives === 'text/event-stream') return 'message'
  const last =
    path
      .split('/')
      .filter((part) => !part.startsWith('{'))
      .at(-1) ?? 'item'
  const word = camelKey(last.replaceAll(/[-.]/g, '_'))
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.endsWith('s') ? word.slice(0, -1) : 'item'
}
