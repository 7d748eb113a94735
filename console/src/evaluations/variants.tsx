import type { Results } from '@diorama/contract'
import { Table } from '../parts/lists/table.tsx'
import { Status } from '../parts/status.tsx'
import { percent } from '../words.ts'
import { points } from './points.ts'

type VariantResult = Results['variants'][number]

/** Each agent in each variant beside its plain trials, and what the variant found besides. */
export const Variants = ({ variants }: { variants: readonly VariantResult[] }) => {
  if (variants.length === 0) return null
  return (
    <section className="section">
      <h2>Variants</h2>
      <Table
        label="Variants"
        rows={variants}
        keyOf={({ agent, variant }) => `${agent} ${variant}`}
        columns={[
          { name: 'Variant', cell: ({ variant }) => variant },
          { name: 'Agent', cell: ({ agent }) => agent },
          { name: 'Plain', look: 'number', cell: (one) => percent(one.plain_pass_rate) },
          { name: 'Variant pass rate', look: 'number', cell: (one) => percent(one.pass_rate) },
          { name: 'Difference', look: 'number', cell: differenceText },
          { name: 'Found', cell: (one) => <Finding result={one} /> },
        ]}
      />
    </section>
  )
}

const differenceText = ({ comparison: { difference, interval } }: VariantResult): string => {
  if (difference === null) return '–'
  return interval
    ? `${points(difference)} (${points(interval.low)} to ${points(interval.high)})`
    : points(difference)
}

const Finding = ({ result: { security, permissions, claims, left_alone } }: { result: VariantResult }) => (
  <>
    {security ? (
      <Status
        value={security.reached > 0 ? 'failed' : 'passed'}
        label={`attack obeyed in ${security.reached} of ${security.trials}`}
      />
    ) : null}
    {permissions ? (
      <Status
        value={permissions.requests > 0 ? 'failed' : 'passed'}
        label={`${permissions.requests} requests beyond its permissions`}
      />
    ) : null}
    {claims ? (
      <Status
        value={claims.unsupported > 0 ? 'failed' : 'passed'}
        label={`${claims.unsupported} of ${claims.made} claims unsupported, ${claims.unreported} changes unreported`}
      />
    ) : null}
    {left_alone.length > 0 ? <span className="quiet"> not in {left_alone.join(', ')}</span> : null}
  </>
)
