import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { call } from '../../api.ts'
import { StoryMoment } from '../../parts/moment.tsx'
import { kindOf } from '../../parts/service.tsx'
import { storyDate } from '../../words.ts'
import { recordName } from './record-name.ts'

/** A record that others refer to. */
export interface Reference {
  readonly name: string
  readonly service: string
  readonly collection: string
  readonly id: string
}

interface References {
  /** Where the records of a world are shown; undefined where there is no page for them. */
  readonly place: { readonly worldId: string } | { readonly twinId: string } | undefined
  readonly byId: ReadonlyMap<string, Reference>
}

const Known = createContext<References>({ place: undefined, byId: new Map() })
export const useReferences = (): References => useContext(Known)

/** Records of each collection that are known by name; beyond these an id is shown as it is. */
const maxNamed = 200

interface ReferencesProps {
  readonly place: References['place']
  readonly twins: readonly { readonly id: string; readonly service: string }[]
  readonly children: ReactNode
}

/** Lets everything below show the records of these twins by name, as links. */
export const ReferenceProvider = ({ place, twins, children }: ReferencesProps) => {
  const wanted = twins.flatMap(({ id, service }) =>
    Object.keys(kindOf(service)?.primaryFields ?? {}).map((collection) => ({ id, service, collection })),
  )
  const found = useQueries({
    queries: wanted.map(({ id, collection }) => ({
      queryKey: ['names', id, collection],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('readTwinState', {
          params: { twinId: id },
          query: { collection, limit: maxNamed },
          signal,
        }).catch(() => undefined),
      staleTime: 60_000,
    })),
    combine: (results) => results.map(({ data }) => data),
  })
  const text = JSON.stringify([place, found.map((one) => one?.items.length)])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers change by their lengths, which the text holds.
  const known = useMemo((): References => {
    const byId = new Map<string, Reference>()
    for (const [index, state] of found.entries()) {
      const from = wanted[index]
      if (!from || !state) continue
      for (const { id, record } of state.items) {
        const name = recordName(from.service, from.collection, record)
        if (name && !byId.has(id))
          byId.set(id, { name, service: from.service, collection: from.collection, id })
      }
    }
    return { place, byId }
  }, [text])
  return <Known.Provider value={known}>{children}</Known.Provider>
}

/** A record's name as a link to its page. */
export const ReferenceLink = ({ reference }: { reference: Reference }) => {
  const { place } = useReferences()
  const { name, service, collection, id } = reference
  const search = service === 'chat' && collection === 'channel' ? { channel: id } : { collection, record: id }
  if (!place) return <>{name}</>
  return 'worldId' in place ? (
    <Link to="/worlds/$worldId/$tab" params={{ worldId: place.worldId, tab: service }} search={search}>
      {name}
    </Link>
  ) : (
    <Link to="/twins/$twinId/$tab" params={{ twinId: place.twinId, tab: 'records' }} search={search}>
      {name}
    </Link>
  )
}

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
const isDate = /^\d{4}-\d\d-\d\d$/

/** A value as people read it: a record by its name, a moment or day in the story's time, everything else as it is. */
export const Value = ({ text, known }: { text: string; known?: string | undefined }) => {
  const { byId } = useReferences()
  const reference = byId.get(text)
  if (reference) return <ReferenceLink reference={reference} />
  if (known !== undefined) return <>{known}</>
  if (isDate.test(text)) return <time dateTime={text}>{storyDate(text)}</time>
  return isMoment.test(text) ? <StoryMoment at={text} /> : <>{text}</>
}
