import type { Activity, TrialDetail } from '@diorama/contract'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { Table, type TableColumn } from '../../parts/lists/table.tsx'
import { ServiceGlyph, serviceName } from '../../parts/service.tsx'
import { storyDay, storyMinute } from '../../words.ts'

const pageSize = 200
const maxPages = 25

/** Everything that happened in a twin; a trial is bounded, and so is this. */
const readAll = async (twinId: string, signal: AbortSignal): Promise<Activity[]> => {
  const items: Activity[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page++) {
    const query: Record<string, string | number> = { limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const reply = await call('listTwinActivity', { params: { twinId }, query, signal })
    items.push(...reply.items)
    cursor = reply.next_cursor
    if (cursor === null) break
  }
  return items
}

const useStory = (twins: TrialDetail['twins'], isOver: boolean): readonly Activity[] =>
  useQueries({
    queries: twins.map(({ id }) => ({
      queryKey: ['story', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => readAll(id, signal),
      enabled: isOver,
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (found) =>
      found.flatMap(({ data }) => data ?? []).toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1)),
  })

const timeOf = ({ world_time }: Activity): string =>
  `${storyDay(Date.parse(world_time))}, ${storyMinute(Date.parse(world_time))}`

/** Who did it: the agent, or what the world did it for. */
const doerOf = ({ cause, actor }: Activity): string => {
  if (cause === null) return 'agent'
  if (cause === 'clock') return 'the service, on its own'
  return `${actor?.name ?? 'the world'} (${cause.replace(':', ' ')})`
}

const columns: readonly TableColumn<Activity>[] = [
  { name: 'World time', look: 'mono quiet', cell: timeOf },
  { name: 'Who', cell: doerOf },
  { name: 'Service', cell: ({ service }) => <ServiceGlyph service={service} named /> },
  { name: 'What', cell: ({ operation }) => operation },
  { name: 'Changes', look: 'number', cell: ({ mutation_count }) => mutation_count || null },
]

/**
 * What the world did beside what the agent did, by the world's own time. Shown where the world did something on its own:
 * elsewhere the timeline above says it all.
 */
export const StoryLanes = ({ twins, isOver }: { twins: TrialDetail['twins']; isOver: boolean }) => {
  const all = useStory(twins, isOver)
  const world = all.filter(({ cause }) => cause !== null)
  if (world.length === 0) return null
  const times = all.map(({ world_time }) => Date.parse(world_time))
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const length = Math.max(end - start, 1)
  const lanes = [
    ['Agent', all.filter(({ cause }) => cause === null)],
    ['World', world],
  ] as const
  return (
    <figure className="lanes">
      <figcaption className="section-head">
        <h2>World time</h2>
        <span className="hint">
          {storyDay(start)}, {storyMinute(start)} to {storyDay(end)}, {storyMinute(end)} UTC
        </span>
      </figcaption>
      <div className="lanes-frame">
        <div className="lanes-names">
          {lanes.map(([name]) => (
            <span key={name}>{name}</span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
        <section className="lanes-scroller" tabIndex={0} aria-label="World time axis">
          <div className="lanes-all">
            {lanes.map(([name, items]) => (
              <div key={name} className="lane">
                {items.map((one) => (
                  <span
                    key={one.request_id}
                    className={`lane-bar is-tick tone-${one.refused === null ? one.service : 'fail'}`}
                    style={{ left: `${((Date.parse(one.world_time) - start) / length) * 100}%` }}
                    title={`${timeOf(one)}: ${doerOf(one)}, ${serviceName(one.service)} ${one.operation}`}
                  />
                ))}
              </div>
            ))}
          </div>
        </section>
      </div>
      <details>
        <summary>Everything in the world's order</summary>
        <Table
          label="Agent and world"
          columns={columns}
          rows={all}
          keyOf={({ request_id }) => request_id}
          rowClass={({ cause }) => (cause === null ? '' : 'is-world')}
        />
      </details>
    </figure>
  )
}
