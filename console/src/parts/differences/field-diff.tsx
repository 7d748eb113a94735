import { useState } from 'react'
import { plural } from '../../words.ts'
import { type DiffLine, lineDiff } from './line-diff.ts'
import { type Parted, wordDiff } from './word-diff.ts'

type Row = Readonly<Record<string, unknown>>

/** The fields in which two records differ. */
export const changedFields = (before: Row | null, after: Row | null): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]),
  )

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''
const isLong = (text: string) => text.split('\n').length > 4

interface Sides {
  readonly before: Row | null
  readonly after: Row | null
}

/** A record before and after, field by field. What stayed the same is folded. */
export const FieldDiff = ({ before, after }: Sides) => {
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
              <Values before={before} after={after} field={field} />
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length > 0 ? (
        <button type="button" className="link" onClick={() => setAll(!all)} aria-expanded={all}>
          {all
            ? 'Hide unchanged fields'
            : `Show ${rest.length} more ${rest.length === 1 ? 'field' : 'fields'}`}
        </button>
      ) : null}
    </div>
  )
}

const Values = ({ before, after, field }: Sides & { field: string }) => {
  const was = shown(before?.[field])
  const is = shown(after?.[field])
  if (before && after && !isEmpty(before[field]) && !isEmpty(after[field]) && (isLong(was) || isLong(is)))
    return (
      <td colSpan={2} className="line-diff">
        {lineDiff(was, is).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place.
          <Line key={index} line={line} />
        ))}
      </td>
    )
  const isClose = before !== null && after !== null && was.includes(' ') && is.includes(' ')
  const [old, fresh] = isClose ? wordDiff(was, is) : []
  return (
    <>
      {before ? <td className="was">{old ? <Marked text={old} /> : was}</td> : null}
      {after ? <td className="is">{fresh ? <Marked text={fresh} /> : is}</td> : null}
    </>
  )
}

const Marked = ({ text: { before, changed, after } }: { text: Parted }) => (
  <>
    {before}
    {changed === '' ? null : <mark>{changed}</mark>}
    {after}
  </>
)

const signs = { same: ' ', gone: '−', new: '+' } as const
const words = { same: '', gone: 'removed: ', new: 'added: ' } as const

const Line = ({ line }: { line: DiffLine }) =>
  line.kind === 'gap' ? (
    <span className="line line-gap">{plural(line.count, 'unchanged line')}</span>
  ) : (
    <span className={`line line-${line.kind}`}>
      <span className="line-sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span className="unseen">{words[line.kind]}</span>
      {line.text}
    </span>
  )
