import type { Me } from '@diorama/contract'
import { useAsk } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Answered, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { setTheme, themes, useTheme } from '../theme.ts'
import { byteSize, count } from '../words.ts'
import { Keys } from './keys.tsx'
import { OrganizationSettings } from './organization.tsx'
import { Prices } from './prices.tsx'
import { Providers } from './providers.tsx'

export const SettingsPage = () => {
  const me = useAsk('readMe', {}, { everyMs: 5_000 })
  return (
    <>
      <PageHead title="Settings" />
      <div className="page-body settings">
        <Keys />
        <Providers />
        <Prices />
        <Answered asked={me}>
          {(data) => (
            <>
              <OrganizationSettings me={data} />
              <Use me={data} />
            </>
          )}
        </Answered>
        <Health />
        <Appearance />
      </div>
    </>
  )
}

const Use = ({ me }: { me: Me }) => {
  const { limits } = me.organization
  const rows = [
    ['Live twins', me.usage.live_twins, limits.live_twins],
    ['Trials running', me.usage.running_trials, limits.concurrent_trials],
  ] as const
  return (
    <section className="section">
      <h2>Usage and limits</h2>
      <dl className="pairs">
        <dt>Organization</dt>
        <dd>{me.organization.name}</dd>
        <dt>This key</dt>
        <dd>
          {me.key.name} ({me.key.class})
        </dd>
        {rows.map(([name, used, most]) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd>
              {count(used)} of {count(most)}{' '}
              <meter className="meter" min={0} max={most} value={used} aria-label={name} />
            </dd>
          </div>
        ))}
        <dt>Trials per evaluation</dt>
        <dd>{limits.trials_per_run}</dd>
        <dt>Sandboxes</dt>
        <dd>{limits.sandbox ? 'allowed' : 'not allowed'}</dd>
        {me.usage.database_bytes === null ? null : (
          <>
            <dt>Database on disk</dt>
            <dd>{byteSize(me.usage.database_bytes)}, all organizations</dd>
          </>
        )}
      </dl>
    </section>
  )
}

const Health = () => {
  const ready = useAsk('readyz', {}, { everyMs: 5_000 })
  return (
    <section className="section">
      <h2>Health</h2>
      {ready.error ? <Failure error={ready.error} retry={() => void ready.refetch()} /> : null}
      {ready.data ? (
        <p>
          <Status value="ready" /> <span className="quiet">Diorama {ready.data.version}.</span>{' '}
          <a href="/docs">API reference</a>, <a href="/metrics">metrics</a>
        </p>
      ) : null}
    </section>
  )
}

const themeNames = { system: 'System', light: 'Light', dark: 'Dark' } as const

const Appearance = () => {
  const theme = useTheme()
  return (
    <section className="section">
      <h2 id="appearance">Appearance</h2>
      <div className="choices" role="radiogroup" aria-labelledby="appearance">
        {themes.map((one) => (
          <label key={one} className="choice">
            <input type="radio" name="theme" checked={theme === one} onChange={() => setTheme(one)} />
            {themeNames[one]}
          </label>
        ))}
      </div>
    </section>
  )
}
