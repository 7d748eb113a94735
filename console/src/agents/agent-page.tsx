import type { Agent, AgentRun } from '@diorama/contract'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useAsk, useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Rows } from '../parts/lists/rows.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { AnsweredPage } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { duration, plural } from '../words.ts'
import { ChatStart } from './chat-start.tsx'
import { PassRates } from './pass-rates.tsx'
import { VersionDiff } from './version-diff.tsx'

const DurationPlot = lazy(() =>
  import('./duration-plot.tsx').then(({ DurationPlot }) => ({ default: DurationPlot })),
)

/** An agent: its versions, what differs between them, how its runs went, and a chat with it. */
export const AgentPage = () => {
  const { name } = useParams({ from: '/agents/$name' })
  const go = useNavigate()
  const agent = useAsk('readAgent', { params: { name } })
  const runs = useList('listAgentRuns', { query: { agent: name } }, { everyMs: 10_000 })
  return (
    <AnsweredPage asked={agent}>
      {(data) => (
        <>
          <AgentHead agent={data} />
          <div className="page-body">
            <PassRates name={name} />
            <Versions agent={data} />
            <Chats name={name} />
            <section className="section">
              <h2>Runs</h2>
              {runs.items.length > 1 ? (
                <Suspense fallback={<div className="plot" />}>
                  <DurationPlot runs={runs.items} />
                </Suspense>
              ) : null}
              <div className="rows-box">
                <Rows
                  className="agent-runs"
                  listing={runs}
                  label="Runs"
                  keyOf={({ run_id }) => run_id}
                  row={(run) => <RunRow run={run} />}
                  onOpen={({ trace_id }) =>
                    trace_id
                      ? void go({ to: '/telemetry/traces/$traceId', params: { traceId: trace_id } })
                      : undefined
                  }
                  heading={
                    <>
                      <span>Run</span>
                      <span>Version</span>
                      <span>Status</span>
                      <span>Origin</span>
                      <span className="number">Took</span>
                      <span className="number">Started</span>
                    </>
                  }
                  empty={<p className="quiet">No runs yet.</p>}
                />
              </div>
            </section>
          </div>
        </>
      )}
    </AnsweredPage>
  )
}

const AgentHead = ({ agent }: { agent: Agent }) => {
  const { search, change } = useAddress()
  const { name, runs } = agent
  return (
    <>
      <PageHead
        title={name}
        crumbs={<Link to="/agents">Agents</Link>}
        facts={
          <>
            {agent.description ? <span>{agent.description}</span> : null}
            <span>{plural(runs.count, 'run')}</span>
            <span>
              {duration(runs.p50_duration_ms)} median, {duration(runs.p95_duration_ms)} p95
            </span>
          </>
        }
      >
        <button type="button" className="button" onClick={() => change({ edit: 'chat' })}>
          Chat
        </button>
        <Link
          to="/evaluations/new"
          search={{ agent: `${name}@${agent.current_version ?? ''}` }}
          className="button is-primary"
        >
          Evaluate
        </Link>
      </PageHead>
      {search.edit === 'chat' ? (
        <ChatStart agent={agent} onClose={() => change({ edit: undefined })} />
      ) : null}
    </>
  )
}

const versionColumns: readonly TableColumn<Agent['versions'][number]>[] = [
  { name: 'Version', look: 'mono', cell: ({ version }) => version },
  { name: 'Status', cell: ({ status }) => <Status value={status} /> },
  { name: 'Model', cell: ({ model }) => (model ? `${model.provider}/${model.id}` : '–') },
  { name: 'Runs', look: 'number', cell: ({ runs }) => runs.count },
  {
    name: 'Registered',
    look: 'number quiet',
    cell: ({ created_at }) => <Moment at={created_at} form="ago" />,
  },
]

const Versions = ({ agent }: { agent: Agent }) => {
  const { search, change } = useAddress()
  return (
    <section className="section">
      <h2>Versions</h2>
      <Table
        opens
        label="Versions"
        rows={agent.versions}
        keyOf={({ version }) => version}
        columns={[
          ...versionColumns,
          {
            name: 'Difference',
            unnamed: true,
            cell: ({ version }, index) => (
              <button
                type="button"
                className="link"
                onClick={() => change({ b: version, a: agent.versions[index + 1]?.version })}
              >
                {agent.versions[index + 1] ? 'Compare' : 'Show'}
                <span className="unseen"> in {version}</span>
              </button>
            ),
          },
        ]}
      />
      {search.b ? <VersionDiff name={agent.name} a={search.a} b={search.b} /> : null}
    </section>
  )
}

const Chats = ({ name }: { name: string }) => {
  const chats = useAsk('listChats', { params: { name }, query: { limit: 10 } }).data?.items ?? []
  if (chats.length === 0) return null
  return (
    <section className="section">
      <h2>Chats</h2>
      <ul>
        {chats.map(({ id, message_count, updated_at }) => (
          <li key={id}>
            <Link to="/agents/$name/chat/$sessionId" params={{ name, sessionId: id }}>
              {plural(message_count, 'message')}
            </Link>{' '}
            <span className="quiet">
              <Moment at={updated_at} form="ago" />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const RunRow = ({ run }: { run: AgentRun }) => (
  <>
    <span className="mono">{run.run_id}</span>
    <span className="mono quiet second">{run.agent.slice(run.agent.lastIndexOf('@') + 1)}</span>
    <span>
      <Status value={run.status} />
    </span>
    <span className="quiet minor">{run.origin}</span>
    <span className="number quiet minor">{duration(run.duration_ms)}</span>
    <span className="number quiet minor">
      <Moment at={run.started_at} form="ago" />
    </span>
  </>
)
