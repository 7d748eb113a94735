import type { DiffEntry } from '@diorama/contract'
import { Empty } from '../parts/states.tsx'
import { type LiveRecords, placeOf } from './live-world.ts'
import { ChangeCard } from './records/change-card.tsx'

/** The world's whole difference from its seed. */
export const DiffTab = ({ live }: { live: LiveRecords }) => (
  <div className="page-body">
    <DiffList entries={[...live.changes.values()]} fresh={live.fresh} />
  </div>
)

interface DiffListProps {
  readonly entries: readonly DiffEntry[]
  readonly fresh?: ReadonlySet<string>
}

/** One card for each record, with all rows that belong to it. */
export const DiffList = ({ entries, fresh }: DiffListProps) => {
  if (entries.length === 0)
    return (
      <Empty title="No changes yet.">
        <p className="quiet">Records that are created, updated or deleted are listed here.</p>
      </Empty>
    )
  return (
    <div className="change-cards">
      {cardsOf(entries).map((card) => (
        <ChangeCard
          key={card.map(placeOf).join()}
          entries={card}
          fresh={card.some((entry) => fresh?.has(placeOf(entry)) ?? false)}
        />
      ))}
    </div>
  )
}

/** Rows of a document, such as the items of an order, go by the document's key, which theirs begins with. */
const cardsOf = (entries: readonly DiffEntry[]): readonly (readonly DiffEntry[])[] => {
  const collections = [...new Set(entries.map(({ collection }) => collection))]
  const headOf = ({ service, collection, id }: DiffEntry): string => {
    const parent = collections
      .filter((name) => collection.startsWith(`${name}_`))
      .toSorted((a, b) => a.length - b.length)[0]
    return parent ? `${service}:${parent}:${/^\w+/.exec(id)?.[0] ?? id}` : `${service}:${collection}:${id}`
  }
  const groups = Map.groupBy(entries, headOf)
  return [...groups.values()].map((card) =>
    card.toSorted((a, b) => a.collection.length - b.collection.length),
  )
}
