import { useState } from 'react'

type Row = Readonly<Record<string, unknown>>

/** The fields in which two records differ. */
export const changedFields = (before: Row | null, after: Row | null): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]),
  )

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** A record before and after, field by field. What stayed the same is folded. */
export const FieldDiff = ({ before, after }: { before: Row | null; after: Row | null }) => {
  const [all, setAll] = useState(false)
  const changed = changedFields(before, after)
  const whole = after ?? before ?? {}
  const telling = before && after ? changed : Object.keys(whole).filter((field) => !isEmpty(whole[field]))
  const rest = Object.keys(whole).filter((field) => !telling.includes(field))
  return (
    <div className="field-diff">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {before ? <th scope="col">Before</th> : null}
            {after ? <th scope="col">After</th> : null}
          </tr>
        </thead>
        <tbody>
          {[...telling, ...(all ? rest : [])].map((field) => (
            <tr key={field} className={changed.includes(field) ? 'is-changed' : ''}>
              <th scope="row">{field}</th>
              {before ? <td className="was">{shown(before[field])}</td> : null}
              {after ? <td className="is">{shown(after[field])}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length > 0 ? (
        <button type="button" className="link" onClick={() => setAll(!all)} aria-expanded={all}>
          {all
            ? 'Fold what stayed the same'
            : `Show ${rest.length} more ${rest.length === 1 ? 'field' : 'fields'}`}
        </button>
      ) : null}
    </div>
  )
}
