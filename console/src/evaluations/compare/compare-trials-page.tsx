import type { DiffEntry, TrialDetail, TrialStep } from '@diorama/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call } from '../../api.ts'
import { useAsk } from '../../ask.ts'
import { PageHead } from '../../frame/page-head.tsx'
import { Payload } from '../../parts/payload.tsx'
import { ServiceGlyph } from '../../parts/service.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { useAddress } from '../../search.ts'
import { dollars, duration, plural } from '../../words.ts'
import { inWords } from '../../worlds/ledger/change-summary.tsx'
import { ReferenceProvider } from '../../worlds/records/references.tsx'
import { Outcome } from '../matrix/outcome.tsx'
import { hasFailed, stepWord } from '../trial/steps.ts'
import { VerdictTable } from '../verdict.tsx'
import { align } from './align.ts'
import { Prompts } from './prompts.tsx'

/** Two trials side by side: verdicts, answers, transcripts and world diffs, row by row. */
export const CompareTrialsPage = () => {
  const { search } = useAddress()
  const a = useTrial(search.a)
  const b = useTrial(search.b)
  const both = {
    data: a.data && b.data ? { a: a.data, b: b.data } : undefined,
    error: a.error ?? b.error,
    refetch: () => [a.refetch(), b.refetch()],
  }
  return (
    <>
      <PageHead title="Compare trials" crumbs={<Link to="/evaluations">Evaluations</Link>} />
      <div className="page-body">
        {search.a && search.b ? (
          <Answered asked={both}>{(trials) => <Trials {...trials} />}</Answered>
        ) : (
          <Empty title="Open a trial in an evaluation and choose “Compare with another trial”." />
        )}
      </div>
    </>
  )
}

const useTrial = (place: string | undefined) => {
  const [jobId = '', trialId = ''] = (place ?? '').split('/')
  return useAsk('readTrial', { params: { jobId, trialId } }, { when: trialId !== '' })
}

interface Pair {
  readonly a: TrialDetail
  readonly b: TrialDetail
}

const Trials = ({ a, b }: Pair) => (
  <>
    <Columns label="Verdicts" a={<Head trial={a} />} b={<Head trial={b} />} />
    <h2>Output</h2>
    <Columns
      label="Outputs"
      a={<Payload body={a.output ?? ''} label="output of the first trial" />}
      b={<Payload body={b.output ?? ''} label="output of the second trial" />}
    />
    <Transcripts a={a} b={b} />
    <Prompts a={a} b={b} />
    <WorldDiffs a={a} b={b} />
  </>
)

const Columns = ({ a, b, label }: { a: ReactNode; b: ReactNode; label: string }) => (
  <section className="compare-columns" aria-label={label}>
    <div>{a}</div>
    <div>{b}</div>
  </section>
)

const Head = ({ trial }: { trial: TrialDetail }) => (
  <>
    <h2>
      <Link to="/evaluations/$jobId/trials/$trialId" params={{ jobId: trial.job_id, trialId: trial.id }}>
        {trial.task_title}
      </Link>
    </h2>
    <p className="chips">
      <Outcome trial={trial} />
      <span>{trial.agent}</span>
      <span className="quiet">repeat {trial.repetition}</span>
      <span className="quiet">{duration(trial.duration_ms)}</span>
      {trial.usage ? <span className="quiet">{dollars(trial.usage.cost_usd)}</span> : null}
    </p>
    <ReferenceProvider place={undefined} twins={trial.twins}>
      <VerdictTable trial={trial} />
    </ReferenceProvider>
  </>
)

const stepKey = (step: TrialStep) => `${step.kind} ${stepWord(step, 'service')} ${step.name}`

const Transcripts = ({ a, b }: Pair) => {
  const rows = align(a.steps, b.steps, stepKey)
  const apart = rows.filter((row) => !row.a || !row.b).length
  return (
    <section className="section">
      <h2>
        Steps <span className="quiet">{plural(apart, 'step')} in one trial only</span>
      </h2>
      <table className="table compare-table">
        <thead>
          <tr>
            <th scope="col">{a.agent}</th>
            <th scope="col">{b.agent}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other name than its place.
            <tr key={index} className={row.a && row.b ? '' : 'is-apart'}>
              <td>{row.a ? <Step step={row.a} /> : <span className="quiet">–</span>}</td>
              <td>{row.b ? <Step step={row.b} /> : <span className="quiet">–</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const Step = ({ step }: { step: TrialStep }) => {
  const service = stepWord(step, 'service')
  return (
    <span className="compare-step">
      {service ? (
        <ServiceGlyph service={service} />
      ) : (
        <span className="tag">{step.kind.replace('_', ' ')}</span>
      )}
      <span className={hasFailed(step) ? 'status-fail wrap' : 'wrap'}>
        {step.name} {hasFailed(step) ? `(${stepWord(step, 'status') || step.status})` : ''}
      </span>
      <span className="hint">{duration(step.duration_ms)}</span>
    </span>
  )
}

/** Everything that a trial left changed, over all services of its world. */
const useTrialDiff = (trial: TrialDetail) =>
  useQuery({
    queryKey: ['trial diff', trial.id],
    queryFn: async ({ signal }): Promise<readonly DiffEntry[]> => {
      const found = await Promise.all(
        trial.twins.map(({ id }) => call('diffTwin', { params: { twinId: id }, signal })),
      )
      return found.flatMap(({ items }) => items)
    },
  })

const WorldDiffs = ({ a, b }: Pair) => {
  const [left, right] = [useTrialDiff(a), useTrialDiff(b)]
  const both = {
    data: left.data && right.data ? [left.data, right.data] : undefined,
    error: left.error ?? right.error,
    refetch: () => [left.refetch(), right.refetch()],
  }
  return (
    <section className="section">
      <h2>World diff</h2>
      <Answered asked={both} rows={3}>
        {([first = [], second = []]) => <DiffRows a={first} b={second} names={[a.agent, b.agent]} />}
      </Answered>
    </section>
  )
}

interface DiffRowsProps {
  readonly a: readonly DiffEntry[]
  readonly b: readonly DiffEntry[]
  readonly names: readonly [string, string]
}

const DiffRows = ({ a, b, names }: DiffRowsProps) => {
  const placeOf = ({ service, collection, id }: DiffEntry) => `${service} ${collection} ${id}`
  const [left, right] = [
    new Map(a.map((one) => [placeOf(one), one])),
    new Map(b.map((one) => [placeOf(one), one])),
  ]
  const places = [...new Set([...left.keys(), ...right.keys()])]
  if (places.length === 0) return <p className="quiet">Neither trial changed anything.</p>
  return (
    <table className="table compare-table">
      <thead>
        <tr>
          <th scope="col">{names[0]}</th>
          <th scope="col">{names[1]}</th>
        </tr>
      </thead>
      <tbody>
        {places.map((place) => {
          const [was, is] = [left.get(place), right.get(place)]
          const words = [was && inWords(was), is && inWords(is)]
          return (
            <tr key={place} className={words[0] === words[1] ? '' : 'is-apart'}>
              {[was, is].map((entry, side) => (
                <td key={side === 0 ? 'a' : 'b'}>
                  {entry ? (
                    <span className="compare-step">
                      <ServiceGlyph service={entry.service} />
                      <span className={`wrap operation-${entry.operation}`}>{inWords(entry)}</span>
                    </span>
                  ) : (
                    <span className="quiet">–</span>
                  )}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
