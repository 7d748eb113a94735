import { type Operation, operation, type Tables } from '@diorama/twin-kit/kernel/twin'
import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { text } from '../../access.ts'
import { refusal } from '../../rules/messages.ts'
import { orderAt, saveHeader } from '../../rules/order-changes.ts'

/** An order waits for approval while its status is A; it leaves the wait approved (B) or rejected (C). */
const decide = (outcome: 'B' | 'C'): Operation =>
  operation<Tables, { SalesOrder: string }, EdmValues>({
    effect: 'write',
    run: (call, { SalesOrder }) => {
      const order = orderAt(call, SalesOrder)
      if (text('A_SalesOrder', order, 'SalesDocApprovalStatus') !== 'A') throw refusal('V1/400', [SalesOrder])
      saveHeader(call, { ...order, SalesDocApprovalStatus: outcome })
      return { Boolean: true }
    },
  })

export const approvalOperations: Readonly<Record<string, Operation>> = {
  'POST releaseApprovalRequest': decide('B'),
  'POST rejectApprovalRequest': decide('C'),
}
