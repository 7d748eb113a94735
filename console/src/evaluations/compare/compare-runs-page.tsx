import type { Results, RunMatrix } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAsk } from '../../ask.ts'
import { PageHead } from '../../frame/page-head.tsx'
import { Chip } from '../../parts/field.tsx'
import { Table, type TableColumn } from '../../parts/lists/table.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { GateVerdict } from '../../parts/status.tsx'
import { useAddress } from '../../search.ts'
import { dollars, duration, percent, plural, score } from '../../words.ts'
import { Outcome } from '../matrix/outcome.tsx'
import { points } from '../points.ts'
import { type ComparedTask, compareTasks, type Side } from './compared-tasks.ts'

/** Two evaluations side by side: which tasks flipped, and what they scored and cost. */
export const CompareRunsPage = () => {
  const { search } = useAddress()
  const a = useSide(search.a ?? '')
  const b = useSide(search.b ?? '')
  const both = {
    data: a.data && b.data ? { a: a.data, b: b.data } : undefined,
    error: a.error ?? b.error,
    refetch: () => [a.refetch(), b.refetch()],
  }
  return (
    <>
      <PageHead title="Compare evaluations" crumbs={<Link to="/evaluations">Evaluations</Link>} />
      <div className="page-body">
        {search.a && search.b ? (
          <Answered asked={both}>{(sides) => <Sides {...sides} />}</Answered>
        ) : (
          <Empty title="Select two evaluations in the list to compare them." />
        )}
      </div>
    </>
  )
}

interface RunSide {
  readonly name: string
  readonly jobId: string
  readonly results: Results
  readonly matrix: RunMatrix
}

const useSide = (jobId: string) => {
  const params = { jobId }
  const when = jobId !== ''
  const job = useAsk('readJob', { params }, { when })
  const results = useAsk('readResults', { params }, { when })
  const matrix = useAsk('readMatrix', { params }, { when })
  const data: RunSide | undefined =
    job.data && results.data && matrix.data
      ? { name: job.data.name, jobId, results: results.data, matrix: matrix.data }
      : undefined
  return {
    data,
    error: job.error ?? results.error ?? matrix.error,
    refetch: () => [job.refetch(), results.refetch(), matrix.refetch()],
  }
}

const Sides = ({ a, b }: { a: RunSide; b: RunSide }) => {
  const [agentA, setAgentA] = useState(a.matrix.agents[0] ?? '')
  // Of the same evaluation, one agent is held against another.
  const [agentB, setAgentB] = useState(
    (a.jobId === b.jobId ? b.matrix.agents[1] : undefined) ?? b.matrix.agents[0] ?? '',
  )
  const [all, setAll] = useState(false)
  const left: Side = { jobId: a.jobId, matrix: a.matrix, agent: agentA }
  const right: Side = { jobId: b.jobId, matrix: b.matrix, agent: agentB }
  const tasks = compareTasks(left, right)
  const flipped = tasks.filter(({ change }) => change !== 'same')
  return (
    <>
      <div className="compare-heads">
        <RunHead side={a} agent={agentA} onAgent={setAgentA} label="Before" />
        <RunHead side={b} agent={agentB} onAgent={setAgentB} label="After" />
      </div>
      <Totals a={resultOf(a, agentA)} b={resultOf(b, agentB)} />
      <section className="section">
        <div className="section-head">
          <h2>{plural(flipped.length, 'task')} changed</h2>
          <Chip on={all} onClick={() => setAll(!all)}>
            Show all {tasks.length}
          </Chip>
        </div>
        {flipped.length === 0 && !all ? (
          <p className="quiet">Every task has the same result in both.</p>
        ) : null}
        {all || flipped.length > 0 ? (
          <Table
            label="Tasks"
            opens
            columns={taskColumns(left, right)}
            rows={all ? tasks : flipped}
            keyOf={({ title }) => title}
          />
        ) : null}
      </section>
    </>
  )
}

const resultOf = ({ results }: RunSide, agent: string) => results.agents.find((one) => one.agent === agent)

interface RunHeadProps {
  readonly side: RunSide
  readonly agent: string
  readonly onAgent: (agent: string) => void
  readonly label: string
}

const RunHead = ({ side, agent, onAgent, label }: RunHeadProps) => (
  <section className="compare-head" aria-label={label}>
    <p className="hint">{label}</p>
    <h2>
      <Link to="/evaluations/$jobId" params={{ jobId: side.jobId }}>
        {side.name}
      </Link>
    </h2>
    <p className="chips">
      <GateVerdict verdict={resultOf(side, agent)?.gate.verdict ?? side.results.gate.verdict} />
      <select
        aria-label={`Agent, ${label.toLowerCase()}`}
        value={agent}
        onChange={(event) => onAgent(event.target.value)}
      >
        {side.matrix.agents.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </p>
  </section>
)

type AgentResult = Results['agents'][number]

const Totals = ({ a, b }: { a: AgentResult | undefined; b: AgentResult | undefined }) => {
  const difference = (x: number | null | undefined, y: number | null | undefined) =>
    x === null || x === undefined || y === null || y === undefined ? null : y - x
  const rate = difference(a?.pass_rate, b?.pass_rate)
  const cost = difference(a?.usage?.cost_usd, b?.usage?.cost_usd)
  const took = difference(a?.mean_duration_ms, b?.mean_duration_ms)
  const rows = [
    ['Pass rate', percent(a?.pass_rate), percent(b?.pass_rate), rate === null ? '–' : points(rate)],
    [
      'Score',
      score(a?.weighted_score),
      score(b?.weighted_score),
      signed(difference(a?.weighted_score, b?.weighted_score), score),
    ],
    ['Cost', dollars(a?.usage?.cost_usd), dollars(b?.usage?.cost_usd), signed(cost, dollars)],
    [
      'Cost per pass',
      dollars(a?.cost_per_pass_usd),
      dollars(b?.cost_per_pass_usd),
      signed(difference(a?.cost_per_pass_usd, b?.cost_per_pass_usd), dollars),
    ],
    ['Mean duration', duration(a?.mean_duration_ms), duration(b?.mean_duration_ms), signed(took, duration)],
  ] as const
  return (
    <section className="section">
      <Table
        label="Totals"
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          { name: 'Measure', cell: ([name]) => name },
          { name: 'Before', look: 'number', cell: ([, before]) => before },
          { name: 'After', look: 'number', cell: ([, , after]) => after },
          { name: 'Difference', look: 'number', cell: ([, , , change]) => change },
        ]}
      />
    </section>
  )
}

/** A difference with its sign. */
const signed = (value: number | null, write: (size: number) => string): string =>
  value === null ? '–' : `${value > 0 ? '+' : value < 0 ? '−' : '±'}${write(Math.abs(value))}`

const changeWords = {
  fixed: 'now passes',
  broken: 'now fails',
  differs: 'differs',
  only: 'in one only',
  same: 'unchanged',
} as const

const costChange = ([before, after]: ComparedTask['costs']): string =>
  before === null && after === null ? '–' : `${dollars(before)} → ${dollars(after)}`

const taskColumns = (a: Side, b: Side): readonly TableColumn<ComparedTask>[] => [
  { name: 'Task', cell: ({ title }) => title },
  { name: 'Change', cell: ({ change }) => changeWords[change] },
  { name: 'Before', cell: ({ before }) => before.map((trial) => <Outcome key={trial.id} trial={trial} />) },
  { name: 'After', cell: ({ after }) => after.map((trial) => <Outcome key={trial.id} trial={trial} />) },
  { name: 'Score', look: 'number', cell: ({ scores }) => `${score(scores[0])} → ${score(scores[1])}` },
  { name: 'Cost', look: 'number', cell: ({ costs }) => costChange(costs) },
  {
    name: 'Why',
    look: 'quiet wrap',
    cell: ({ before, after }) => [...after, ...before].find(({ reason }) => reason !== null)?.reason ?? null,
  },
  {
    name: 'Trials',
    unnamed: true,
    cell: ({ before, after, title }) =>
      before[0] && after[0] ? (
        <Link
          to="/evaluations/compare/trials"
          search={{ a: `${a.jobId}/${before[0].id}`, b: `${b.jobId}/${after[0].id}` }}
        >
          Compare trials<span className="unseen"> of {title}</span>
        </Link>
      ) : null,
  },
]
