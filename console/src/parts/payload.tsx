import { useState } from 'react'
import { count } from '../words.ts'
import { Copy } from './copy.tsx'

const folded = 1_600

const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** A body made readable: indented where it is JSON, cut where it is long, with a way to all of it. */
export const Payload = ({
  body,
  label,
  truncated = false,
}: {
  body: string
  label: string
  truncated?: boolean
}) => {
  const [all, setAll] = useState(false)
  if (body === '') return <p className="quiet">Empty.</p>
  const whole = pretty(body)
  const cut = !all && whole.length > folded
  return (
    <div className="payload">
      <Copy text={body} label={`Copy the ${label}`} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section className="payload-text" tabIndex={0} aria-label={label}>
        <pre>{cut ? `${whole.slice(0, folded)}\n…` : whole}</pre>
      </section>
      {whole.length > folded ? (
        <button type="button" className="link" onClick={() => setAll(!all)}>
          {all ? 'Show less' : `Show all ${count(whole.length)} characters`}
        </button>
      ) : null}
      {truncated ? <p className="quiet">Only the beginning of this body was kept.</p> : null}
    </div>
  )
}
