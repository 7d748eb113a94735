import type { Session, VendorError } from '@diorama/twin-kit/kernel/twin'
import { faultKind } from '@diorama/twin-kit/wires/odata/faults'
import type { ErpTables } from '../tables.ts'

/**
 * Records what the real service has and the twin has not, so that the caller is not blamed for it. Names of sets and
 * navigations that follow the vendor's pattern count, since newer releases have more of them.
 */
export const recordMissing = (refusal: VendorError, session: Session<ErpTables>, service: string): void => {
  const kind = faultKind(refusal)
  const details = isDetails(refusal.data.details) ? refusal.data.details : {}
  if (kind === 'not_implemented') session.notEmulated(String(details.name ?? 'an operation').slice(0, 120))
  const segment = String(details.segment ?? '')
  if (kind === 'unknown_segment' && /^(?:A_[A-Z]|to_[A-Z]|_[A-Z])\w{2,60}$/.test(segment))
    session.notEmulated(`${service} ${segment}`)
}

const isDetails = (details: unknown): details is Readonly<Record<string, unknown>> =>
  typeof details === 'object' && details !== null
