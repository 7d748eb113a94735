import type { TwinInstanceRecord } from '@diorama/contract'
import { useState } from 'react'
import { Copy, Id } from '../parts/copy.tsx'
import { Chip } from '../parts/field.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { TwinStatus } from '../parts/status.tsx'
import { type Language, languages, snippet } from './snippets.ts'

/** How to reach each service. Tokens are hidden until asked for; copying takes the real one. */
export const ConnectTab = ({ twins }: { twins: readonly TwinInstanceRecord[] }) => {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <div className="page-body connect">
      <p className="quiet">
        Each service speaks its vendor's API at the address below. Point an existing client at it, with its
        token.
      </p>
      <div className="chips">
        {languages.map((one) => (
          <Chip key={one} on={one === language} onClick={() => setLanguage(one)}>
            {one}
          </Chip>
        ))}
      </div>
      {twins.map((twin) => (
        <Connection key={twin.id} twin={twin} language={language} />
      ))}
    </div>
  )
}

const Connection = ({ twin, language }: { twin: TwinInstanceRecord; language: Language }) => {
  const [shown, setShown] = useState(false)
  const base = twin.baseUrl ?? `${location.origin}/t/${twin.id}`
  const hidden = '•'.repeat(16)
  const real = snippet(twin.service, language, base, twin.token)
  return (
    <section className="section">
      <div className="section-head">
        <h2>
          <ServiceGlyph service={twin.service} named />
        </h2>
        <TwinStatus value={twin.status} />
      </div>
      <dl className="pairs">
        <dt>Address</dt>
        <dd>
          <Id value={base} />
        </dd>
        <dt>Token</dt>
        <dd>
          <code>{shown ? twin.token : hidden}</code>{' '}
          <button type="button" className="link" onClick={() => setShown(!shown)}>
            {shown ? 'Hide' : 'Show'}
            <span className="unseen"> the token of {twin.service}</span>
          </button>{' '}
          <Copy text={twin.token} label={`Copy the token of ${twin.service}`} />
        </dd>
      </dl>
      <div className="payload">
        <Copy text={real} label={`Copy the ${language} snippet of ${twin.service}`} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
        <section className="payload-text" tabIndex={0} aria-label={`${language} for ${twin.service}`}>
          <pre>{shown ? real : snippet(twin.service, language, base, hidden)}</pre>
        </section>
      </div>
    </section>
  )
}
