import type { Client } from '@diorama/sdk/index.ts'
import { Complaint } from './failure.ts'
import { take } from './options.ts'

const maxListed = 10_000
const pageSize = 200

interface Named {
  readonly id: string
  readonly name: string
}

/** What a command that takes names works with. */
interface Lookup {
  readonly client: Client
  readonly note: (text: string) => void
}

/** The newest record of a name. Ids are passed through, so that the service says which of them it does not know. */
const newestOf = async (
  items: () => AsyncIterable<Named>,
  { word, prefix, kind, list }: { word: string; prefix: string; kind: string; list: string },
  note: (text: string) => void,
): Promise<string> => {
  if (word.startsWith(prefix)) return word
  const found = (await take(items(), maxListed)).filter(({ name }) => name === word)
  const [newest] = found
  if (!newest) throw new Complaint(`There is no ${kind} named ${word}. List them with \`diorama ${list}\`.`)
  if (found.length > 1) note(`${found.length} ${kind}s are named ${word}; using the newest, ${newest.id}`)
  return newest.id
}

export const worldNamed = ({ client, note }: Lookup, word: string): Promise<string> =>
  newestOf(
    () => client.worlds.list({ limit: pageSize }),
    { word, prefix: 'wld_', kind: 'world', list: 'world list' },
    note,
  )

export const suiteNamed = ({ client, note }: Lookup, word: string): Promise<string> =>
  newestOf(
    () => client.suites.list({ limit: pageSize }),
    { word, prefix: 'ste_', kind: 'suite', list: 'suite list' },
    note,
  )

export const scorerNamed = ({ client, note }: Lookup, word: string): Promise<string> =>
  newestOf(
    () => client.scorers.list({ limit: pageSize }),
    { word, prefix: 'scr_', kind: 'scorer', list: 'scorer list' },
    note,
  )

export const runNamed = ({ client, note }: Lookup, word: string): Promise<string> =>
  newestOf(
    () => client.evaluations.list({ limit: pageSize }),
    { word, prefix: 'job_', kind: 'evaluation', list: 'eval list' },
    note,
  )
