import type { Job } from '@diorama/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Chip } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Rows } from '../parts/lists/rows.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'

const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled']

export const RunsPage = () => {
  const { search, change } = useAddress()
  const go = useNavigate()
  const jobs = useList('listJobs', { query: { status: search.view } }, { everyMs: 3_000 })
  const open = ({ id }: Job) => void go({ to: '/evaluations/$jobId', params: { jobId: id } })
  return (
    <>
      <PageHead title="Evaluations">
        <Link to="/evaluations/new" className="button is-primary">
          <Icon name="plus" size={14} /> Start an evaluation
        </Link>
      </PageHead>
      <search className="filters">
        <div className="chips">
          {statuses.map((status) => (
            <Chip
              key={status}
              on={search.view === status}
              onClick={() => change({ view: search.view === status ? undefined : status })}
            >
              {status}
            </Chip>
          ))}
        </div>
      </search>
      <Rows
        className="runs"
        listing={jobs}
        label="Runs"
        keyOf={({ id }) => id}
        row={(job) => <RunRow job={job} />}
        onOpen={open}
        heading={
          <>
            <span>Run</span>
            <span>Agents</span>
            <span>Mode</span>
            <span>Status</span>
            <span className="number">Trials</span>
            <span className="number">Started</span>
          </>
        }
        empty={
          <Empty title={search.view ? 'No run has this status.' : 'Nothing has been evaluated yet.'}>
            <p className="quiet">
              A run puts agents to the tasks of a suite, each in a fresh copy of the world, and grades what
              they leave behind. <Link to="/evaluations/new">Start one</Link>.
            </p>
          </Empty>
        }
      />
    </>
  )
}

const RunRow = ({ job }: { job: Job }) => (
  <>
    <strong>{job.name}</strong>
    <span className="quiet second">{job.agents.join(', ')}</span>
    <span className="quiet minor">{job.mode}</span>
    <span>
      <Status value={job.status} />
    </span>
    <span className="number quiet minor">
      {job.completed_trials} of {job.total_trials}
    </span>
    <span className="number quiet minor">
      <Moment at={job.created_at} form="ago" />
    </span>
  </>
)
