import { useQueries } from '@tanstack/react-query'
import { call, type OperationName, type Reply } from '../api.ts'
import { useAsk } from '../ask.ts'
import { kindOf, serviceName } from '../parts/service.tsx'
import { brief, text } from '../words.ts'
import { recordName } from '../worlds/records/record-name.ts'

/** Something that the palette leads to. */
export interface Found {
  readonly key: string
  readonly title: string
  readonly about: string
  readonly address: string
}

/** Bounds on what one search reads: the newest of each. */
const maxSuites = 50
const maxEvaluations = 10
const maxWorlds = 5
const maxTwins = 5
const maxRecords = 200
const maxShown = 8
/** Shorter texts fit nearly everything. */
const minLength = 2

type Query = Readonly<Record<string, string | number>>

/** The same operation for several things, each kept for a minute; what cannot be read is left out. */
const useEach = <K extends OperationName>(
  name: K,
  wanted: readonly { readonly params: Readonly<Record<string, string>>; readonly query: Query }[],
  isOn: boolean,
): readonly (Reply<K> | undefined)[] =>
  useQueries({
    queries: wanted.map(({ params, query }) => ({
      queryKey: ['found', name, params, query],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call(name, { params, query, signal }).catch(() => undefined),
      staleTime: 60_000,
      enabled: isOn,
    })),
    combine: (results) => results.map(({ data }) => data),
  })

const fits = (text: string, words: readonly string[]): boolean => {
  const whole = text.toLowerCase()
  return words.every((word) => whole.includes(word))
}

const userCollections = new Set(['user', 'User'])

/** Tasks, trials, twins, people and records whose names fit what was typed. */
export const useFound = (typed: string): readonly (readonly [heading: string, items: readonly Found[]])[] => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const isOn = typed.trim().length >= minLength
  const tasks = useTasks(isOn)
  const trials = useTrials(isOn)
  const { twins, people, records } = useServices(isOn)
  if (!isOn) return []
  const groups = [
    ['Tasks', tasks],
    ['Trials', trials],
    ['Twins', twins],
    ['People', people],
    ['Records in worlds', records],
  ] as const
  return groups.map(([heading, items]) => [
    heading,
    items.filter(({ title, about, key }) => fits(`${title} ${about} ${key}`, words)).slice(0, maxShown),
  ])
}

const useTasks = (isOn: boolean): Found[] => {
  const suites = useAsk('listSuites', { query: { limit: maxSuites } }, { when: isOn }).data?.items ?? []
  const pages = useEach(
    'listTasks',
    suites.map(({ id }) => ({ params: { suiteId: id }, query: { limit: 200 } })),
    isOn,
  )
  return pages.flatMap((page, index) =>
    (page?.items ?? []).map(({ id, title }) => ({
      key: id,
      title,
      about: `task of ${suites[index]?.name ?? ''}`,
      address: `/suites/${suites[index]?.id}?edit=${id}`,
    })),
  )
}

const useTrials = (isOn: boolean): Found[] => {
  const jobs = useAsk('listJobs', { query: { limit: maxEvaluations } }, { when: isOn }).data?.items ?? []
  const pages = useEach(
    'listTrials',
    jobs.map(({ id }) => ({ params: { jobId: id }, query: { limit: 200 } })),
    isOn,
  )
  return pages.flatMap((page, index) =>
    (page?.items ?? []).map(({ id, task_title, agent, repetition }) => ({
      key: id,
      title: task_title,
      about: `trial of ${agent}, repeat ${repetition}`,
      address: `/evaluations/${jobs[index]?.id}/trials/${id}`,
    })),
  )
}

interface Place {
  readonly twinId: string
  readonly service: string
  readonly home: string
  /** The page of one service: records follow as a query. */
  readonly address: string
}

/** What the services of the newest worlds, and the newest standalone twins, hold. */
const useServices = (isOn: boolean) => {
  const worlds = useAsk('listWorlds', { query: { limit: 50 } }, { when: isOn }).data?.items ?? []
  const ready = worlds.filter(({ status }) => status === 'ready').slice(0, maxWorlds)
  const details = useEach(
    'readWorld',
    ready.map(({ id }) => ({ params: { worldId: id }, query: {} })),
    isOn,
  )
  const query = { standalone: true, limit: 200 }
  const alone = useAsk('listTwins', { query }, { when: isOn }).data?.items ?? []
  const places: Place[] = [
    ...details.flatMap((one) =>
      (one?.twins ?? []).map(({ id, service }) => ({
        twinId: id,
        service,
        home: one?.world.name ?? '',
        address: `/worlds/${one?.world.id}/${service}`,
      })),
    ),
    ...alone
      .filter(({ status }) => status === 'running')
      .slice(0, maxTwins)
      .map(({ id, service }) => ({
        twinId: id,
        service,
        home: 'standalone twin',
        address: `/twins/${id}/records`,
      })),
  ]
  const wanted = places.flatMap((place) =>
    Object.keys(kindOf(place.service)?.primaryFields ?? {}).map((collection) => ({ place, collection })),
  )
  const states = useEach(
    'readTwinState',
    wanted.map(({ place, collection }) => ({
      params: { twinId: place.twinId },
      query: { collection, limit: maxRecords },
    })),
    isOn,
  )
  const all = states.flatMap((state, index) => {
    const from = wanted[index]
    return from && state ? recordsOf(from.place, from.collection, state.items) : []
  })
  const inWorlds = places.filter(({ home }) => home !== 'standalone twin')
  const twins = [
    ...inWorlds.map(({ twinId, service, home, address }) => ({
      key: twinId,
      title: serviceName(service),
      about: `twin of ${home}`,
      address,
    })),
    ...alone.map(({ id, service, status }) => ({
      key: id,
      title: serviceName(service),
      about: `standalone twin, ${status}`,
      address: `/twins/${id}/records`,
    })),
  ]
  return {
    twins,
    people: all.filter(({ isPerson }) => isPerson),
    records: all.filter(({ isPerson }) => !isPerson),
  }
}

const recordsOf = (place: Place, collection: string, items: Reply<'readTwinState'>['items']) =>
  items.flatMap(({ id, record }) => {
    const title = recordName(place.service, collection, record)
    const more = (kindOf(place.service)?.primaryFields[collection] ?? [])
      .map((field) => text(record, field))
      .find((value) => value !== '' && value !== title)
    const search =
      place.service === 'chat' && collection === 'channel'
        ? `channel=${encodeURIComponent(id)}`
        : `collection=${encodeURIComponent(collection)}&record=${encodeURIComponent(id)}`
    return title === ''
      ? []
      : [
          {
            key: `${place.twinId} ${collection} ${id}`,
            title,
            about: `${more ? `${brief(more)} · ` : ''}${collection} in ${serviceName(place.service)} of ${place.home}`,
            address: `${place.address}?${search}`,
            isPerson: userCollections.has(collection),
          },
        ]
  })
