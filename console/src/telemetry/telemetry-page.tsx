import { Link } from '@tanstack/react-router'
import { PageHead } from '../frame/page-head.tsx'
import { useAddress } from '../search.ts'
import { EventsTab } from './events-tab.tsx'
import { SearchTab } from './search-tab.tsx'
import { TracesTab } from './traces-tab.tsx'

const tabs = [
  ['events', 'Events'],
  ['traces', 'Traces'],
  ['search', 'Search'],
] as const

/** What agents and systems said they did. */
export const TelemetryPage = () => {
  const { search } = useAddress()
  const tab = search.tab ?? 'events'
  return (
    <>
      <PageHead title="Telemetry" />
      <nav className="tabs" aria-label="Telemetry">
        {tabs.map(([name, label]) => (
          <Link
            key={name}
            to="/telemetry"
            search={{ tab: name }}
            className={tab === name ? 'tab active' : 'tab'}
            activeProps={{}}
            aria-current={tab === name ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === 'traces' ? <TracesTab /> : tab === 'search' ? <SearchTab /> : <EventsTab />}
    </>
  )
}
