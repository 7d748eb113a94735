import type { DiffEntry } from '@diorama/contract'
import { useState } from 'react'
import { FieldDiff } from '../../parts/differences/field-diff.tsx'
import { ServiceGlyph } from '../../parts/service.tsx'
import { useEmoji } from '../../parts/text/emoji.ts'
import { brief, plural } from '../../words.ts'
import { nameOf, toldFields } from '../ledger/change-summary.tsx'
import { fieldLabel, valueName } from './record-name.ts'
import { ReferenceLink, useReferences, Value } from './references.tsx'

const verbs = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const

/** Everything that happened to one record and to the rows that belong to it, in sentences. */
export const ChangeCard = ({ entries, fresh }: { entries: readonly DiffEntry[]; fresh: boolean }) => {
  const [raw, setRaw] = useState(false)
  const [head] = entries
  const { byId } = useReferences()
  const { withEmoji } = useEmoji(head?.service ?? '')
  if (!head) return null
  const name = withEmoji(nameOf(head.service, head.collection, head.after ?? head.before, head.id))
  const reference = byId.get(head.id)
  return (
    <article className={fresh ? 'change-card is-fresh' : 'change-card'}>
      <header className="change-card-head">
        <ServiceGlyph service={head.service} />
        <h3>
          <span className={`operation-${head.operation}`}>{verbs[head.operation]}</span>{' '}
          {fieldLabel(head.collection)}{' '}
          {reference && head.operation !== 'delete' ? (
            <ReferenceLink reference={{ ...reference, name }} />
          ) : (
            name
          )}
        </h3>
        <button type="button" className="link" aria-expanded={raw} onClick={() => setRaw(!raw)}>
          {raw ? 'Hide fields' : 'All fields'}
          <span className="unseen"> of {name}</span>
        </button>
      </header>
      {entries.map((entry) => (
        <Sentences key={`${entry.collection} ${entry.id}`} entry={entry} isHead={entry === head} />
      ))}
      {raw
        ? entries.map((entry) => (
            <FieldDiff key={`${entry.collection} ${entry.id}`} before={entry.before} after={entry.after} />
          ))
        : null}
    </article>
  )
}

const maxFields = 8

const Sentences = ({ entry, isHead }: { entry: DiffEntry; isHead: boolean }) => {
  const { before, after, service, collection, operation, id } = entry
  const { withEmoji } = useEmoji(service)
  const told = operation === 'update' ? toldFields(entry) : newFields(entry)
  const folded = operation === 'update' ? Object.keys(entry.changed).length - told.length : 0
  return (
    <>
      {isHead ? null : (
        <p className="change-part">
          {verbs[operation]} {fieldLabel(collection).toLowerCase()}{' '}
          {withEmoji(nameOf(service, collection, after ?? before, id))}
        </p>
      )}
      <dl className="sentences">
        {told.slice(0, maxFields).map((field) => (
          <div key={field}>
            <dt>{fieldLabel(field)}</dt>
            <dd>
              {operation === 'update' ? (
                <>
                  <del>
                    <Shown entry={entry} field={field} value={before?.[field]} />
                  </del>
                  <span aria-hidden="true"> → </span>
                  <span className="unseen">to</span>
                  <ins>
                    <Shown entry={entry} field={field} value={after?.[field]} />
                  </ins>
                </>
              ) : (
                <Shown entry={entry} field={field} value={(after ?? before)?.[field]} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {told.length > maxFields || folded > 0 ? (
        <p className="hint">
          {told.length > maxFields ? `and ${plural(told.length - maxFields, 'more field')}` : ''}
          {told.length > maxFields && folded > 0 ? ', ' : ''}
          {folded > 0 ? `${plural(folded, 'timestamp or counter', 'timestamps and counters')} hidden` : ''}
        </p>
      ) : null}
    </>
  )
}

/** Of a record that was created or deleted: what it says, without what is empty or follows from the rest. */
const newFields = (entry: DiffEntry): readonly string[] => {
  const record = entry.after ?? entry.before ?? {}
  return toldFields({ ...entry, before: {}, after: record }).filter((field) => {
    const value = record[field]
    const isPlain = typeof value !== 'object' || value === null
    return isPlain && value !== null && value !== '' && value !== false && !/^(id|Id|key|ts)$/.test(field)
  })
}

const Shown = ({ entry, field, value }: { entry: DiffEntry; field: string; value: unknown }) => {
  const { withEmoji } = useEmoji(entry.service)
  const known = valueName(entry.service, entry.collection, field, value)
  return <Value text={known ?? withEmoji(brief(value, 120))} />
}
