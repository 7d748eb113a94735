import type { DiffEntry } from '@diorama/contract'
import { FieldDiff } from '../parts/differences/field-diff.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { Empty } from '../parts/states.tsx'
import { plural } from '../words.ts'
import { inWords } from './ledger/change-summary.tsx'
import { type LiveWorld, placeOf } from './live-world.ts'

/** The world's whole difference from its seed. */
export const DiffTab = ({ live }: { live: LiveWorld }) => (
  <div className="page-body">
    <DiffList entries={[...live.changes.values()]} fresh={live.fresh} />
  </div>
)

export const DiffList = ({
  entries,
  fresh,
}: {
  entries: readonly DiffEntry[]
  fresh?: ReadonlySet<string>
}) => {
  if (entries.length === 0)
    return (
      <Empty title="No changes yet.">
        <p className="quiet">Records that are created, updated or deleted are listed here, field by field.</p>
      </Empty>
    )
  const groups = [...Map.groupBy(entries, ({ service, collection }) => `${service}:${collection}`).values()]
  return groups.map((group) => (
    <section key={placeOf(group[0] ?? { service: '', collection: '', id: '' })} className="section">
      <h2 className="diff-heading">
        <ServiceGlyph service={group[0]?.service ?? ''} named /> {group[0]?.collection}{' '}
        <span className="quiet">{plural(group.length, 'record')}</span>
      </h2>
      {group.map((entry) => (
        <details
          key={placeOf(entry)}
          className={fresh?.has(placeOf(entry)) ? 'change is-fresh' : 'change'}
          open={entries.length < 6}
        >
          <summary>
            <span className={`operation-${entry.operation}`}>{inWords(entry)}</span>
          </summary>
          <FieldDiff before={entry.before} after={entry.after} />
        </details>
      ))}
    </section>
  ))
}
