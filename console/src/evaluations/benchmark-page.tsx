import {
  benchmarkLines,
  intervalText,
  markdownTable,
  type ReportLine,
} from '@diorama/sdk/core/benchmark-report'
import { Link, useParams } from '@tanstack/react-router'
import { useAll, useAsk } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Copy } from '../parts/copy.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Answered, AnsweredPage, Empty } from '../parts/states.tsx'
import { plural } from '../words.ts'
import { benchmarkOf } from './benchmark-name.ts'

const columns: readonly TableColumn<ReportLine>[] = [
  { name: 'Agent', cell: ({ agent }) => agent },
  { name: 'Tasks of', cell: ({ group }) => group },
  { name: 'Tasks', look: 'number', cell: ({ tasks }) => tasks },
  { name: 'Trials', look: 'number', cell: ({ trials }) => trials },
  { name: 'Published metric (%)', look: 'number', cell: ({ published }) => intervalText(published) },
  { name: 'Passed whole (%)', look: 'number', cell: ({ passRate }) => intervalText(passRate) },
  {
    name: 'Passed, nothing else changed (%)',
    look: 'number',
    cell: ({ cleanRate }) => intervalText(cleanRate),
  },
]

/** A run of a published benchmark: its own metric beside ours, with intervals, and as a table for a README. */
export const BenchmarkPage = () => {
  const { jobId } = useParams({ from: '/evaluations/$jobId/benchmark' })
  const params = { jobId }
  const job = useAsk('readJob', { params })
  const trials = useAll('listTrials', { params })
  return (
    <AnsweredPage asked={job}>
      {(data) => (
        <>
          <PageHead
            title="Benchmark report"
            crumbs={
              <Link to="/evaluations/$jobId" params={params}>
                {data.name}
              </Link>
            }
          />
          <div className="page-body">
            <Answered asked={trials}>
              {({ items }) => <Report trials={items} pack={benchmarkOf(data.task_suite_name) ?? data.name} />}
            </Answered>
          </div>
        </>
      )}
    </AnsweredPage>
  )
}

interface Trial {
  readonly agent: string
  readonly task_id: string
  readonly task_title: string | null
  readonly passed: boolean | null
  readonly scores: readonly { readonly reason: string | null }[]
  readonly unasked_changes: { readonly items: readonly unknown[] } | null
}

const Report = ({ trials, pack }: { trials: readonly Trial[]; pack: string }) => {
  const { lines, unscored } = benchmarkLines(
    trials.map((trial) => ({
      agent: trial.agent,
      task: trial.task_id,
      title: trial.task_title ?? '',
      passed: trial.passed,
      reasons: trial.scores.map(({ reason }) => reason ?? ''),
      unasked: trial.unasked_changes?.items.length ?? 0,
    })),
  )
  if (lines.length === 0) return <Empty title="No trial has been scored by a benchmark yet." />
  const markdown = markdownTable(pack, 'published metric', lines)
  return (
    <>
      <Table
        label="Benchmark report"
        columns={columns}
        rows={lines}
        keyOf={({ agent, group }) => `${agent} ${group}`}
      />
      <p className="hint">Intervals are 95 %, clustered by task.</p>
      {unscored > 0 ? <p>{plural(unscored, 'trial')} without a verdict left out.</p> : null}
      <h2>For a README</h2>
      <div className="command">
        <pre>{markdown}</pre>
        <Copy text={markdown} label="Copy the table" />
      </div>
    </>
  )
}
