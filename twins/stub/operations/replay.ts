import { canonicalJson, sha256 } from '@diorama/twin-kit/kernel/canonical'
import { operation } from '@diorama/twin-kit/kernel/twin'
import type { Recording, StubTables } from '../tables.ts'

export interface Asked {
  readonly service: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** What makes two requests the same: the order of query parameters and of fields in JSON means nothing. */
export const matchOf = ({ service, method, path, query, body }: Asked): string => {
  const sorted = query.split('&').sort().join('&')
  return `${service} ${method} ${path} ${sha256(JSON.stringify([sorted, plain(body)]))}`
}

const plain = (body: string): string => {
  try {
    return body === '' ? '' : canonicalJson(JSON.parse(body))
  } catch {
    return body
  }
}

type Given = { readonly match: string }

export const replayOperations = {
  /** The only reply to a request. */
  replay: operation<StubTables, Given, Recording | undefined>({
    effect: 'read',
    run: ({ tables }, { match }) => tables.recording.first('match', match),
  }),
  /** The next of several replies to a request; the last one stays. */
  replayNext: operation<StubTables, Given, Recording | undefined>({
    effect: 'write',
    run: ({ tables }, { match }) => {
      const replies = [...tables.recording.find('match', match)]
      const count = tables.played.get(match)?.count ?? 0
      if (count === 0) tables.played.insert({ id: match, count: 1 })
      else if (count < replies.length) tables.played.update(match, { count: count + 1 })
      return replies[Math.min(count, replies.length - 1)]
    },
  }),
}
