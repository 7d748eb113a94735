import { addMonths, dayNumber, dayText } from '../../../dates.ts'
import { integrity, refuse } from '../../refusals.ts'
import type { Rules } from '../../rule.ts'
import { num, str } from '../../writing.ts'
import { nextNumber } from '../numbers.ts'

/** The category that each status belongs to. */
const categories: Readonly<Record<string, string>> = {
  Draft: 'Draft',
  'In Approval Process': 'InApproval',
  Activated: 'Activated',
}

const badStatus = () =>
  refuse(
    'FAILED_ACTIVATION',
    'Choose a valid contract status and save your changes. Ask your admin for details.: Status',
    ['Status'],
  )

/** Drafted first, then activated, and from then on no draft again nor another account's. */
export const contract: Rules = {
  derive: ({ writing, before, draft }) => {
    if (!before) draft.ContractNumber = nextNumber(writing, 'Contract', 'ContractNumber', 100)
    const category = categories[str(draft, 'Status') ?? 'Draft'] ?? 'Draft'
    if (before ? before.StatusCode === 'Activated' && category !== 'Activated' : category !== 'Draft')
      throw badStatus()
    if (before?.StatusCode === 'Activated' && draft.AccountId !== before.AccountId)
      throw refuse('ENTITY_IS_LOCKED', 'the entity is locked for editing', ['AccountId'])
    draft.StatusCode = category
    if (category === 'Activated' && before?.StatusCode !== 'Activated') {
      draft.ActivatedById = writing.userId
      draft.ActivatedDate = writing.stamp
    }
    const [start, months] = [str(draft, 'StartDate'), num(draft, 'ContractTerm')]
    if (months !== undefined && (months < 1 || !Number.isInteger(months)))
      throw integrity('Contract Term must be a positive whole number of months.: Contract Term', [
        'ContractTerm',
      ])
    draft.EndDate =
      start === undefined || months === undefined ? null : dayText(dayNumber(addMonths(start, months)) - 1)
  },
}
