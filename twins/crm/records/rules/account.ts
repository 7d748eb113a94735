import type { Row } from '@diorama/twin-kit/kernel/table'
import { refuse } from '../refusals.ts'
import type { Removing, Rules } from '../rule.ts'
import type { Draft } from '../writing.ts'

/** Records that keep the one they point to from being deleted. */
interface Blocker {
  readonly object: string
  readonly field: string
  readonly blocks: (row: Row | Draft) => boolean
  readonly because: string
  readonly name: string
}

const always = (): boolean => true

const blockersOf: Readonly<Record<string, readonly Blocker[]>> = {
  Account: [
    {
      object: 'Case',
      field: 'AccountId',
      blocks: always,
      because: 'it is associated with the following cases.',
      name: 'CaseNumber',
    },
    {
      object: 'Opportunity',
      field: 'AccountId',
      blocks: (deal) => deal.IsWon === true,
      because:
        'some opportunities in that account were closed won. The opportunities that are closed won are listed below.',
      name: 'Name',
    },
    {
      object: 'Contract',
      field: 'AccountId',
      blocks: (contract) => contract.StatusCode === 'Activated',
      because: 'it is associated with the following activated contracts.',
      name: 'ContractNumber',
    },
    {
      object: 'Order',
      field: 'AccountId',
      blocks: (order) => order.StatusCode === 'Activated',
      because: 'it is associated with the following activated orders.',
      name: 'OrderNumber',
    },
  ],
  Contact: [
    {
      object: 'Case',
      field: 'ContactId',
      blocks: always,
      because: 'it is associated with the following cases.',
      name: 'CaseNumber',
    },
  ],
}

const maxListed = 20

const keep = ({ writing, object, row }: Removing): void => {
  for (const { object: other, field, blocks, because, name } of blockersOf[object.name] ?? []) {
    const found = [...writing.table(other).find(field, String(row.Id))].filter(blocks)
    if (found.length === 0) continue
    const names = found.slice(0, maxListed).map((one) => String(one[name]))
    throw refuse(
      'DELETE_FAILED',
      `Your attempt to delete ${String(row.Name)} could not be completed because ${because}: ${names.join(', ')}\n`,
      [],
    )
  }
}

export const account: Rules = { keep }
export const keepContact = keep
