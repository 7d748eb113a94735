import type { Row } from '@diorama/twin-kit/kernel/table'
import type { CrmSection } from '../section.ts'
import { dayMs, type SeedContext, seedRow } from '../seed/organization.ts'
import { approvalTable } from '../tables.ts'
import type { Approver } from './definition.ts'

type Written = NonNullable<NonNullable<CrmSection['customization']>['approvalProcesses']>[number]

/** The blueprint's approval processes: their definitions and steps as records, their rules beside. */
export const seedApprovals = (context: SeedContext, processes: readonly Written[]): void => {
  const at = context.company.clock - 400 * dayMs
  for (const [nth, process] of processes.entries()) {
    const pointer = `/customization/approvalProcesses/${nth}`
    const label = process.label ?? process.name.replaceAll('_', ' ')
    const definition = seedRow(
      context,
      'ProcessDefinition',
      {
        Name: label,
        DeveloperName: process.name,
        Type: 'Approval',
        TableEnumOrId: process.object,
        LockType: 'Total',
        State: 'Active',
      },
      at,
    )
    const steps = process.steps.map(({ name, approver }, step) => ({
      node: String(
        seedRow(
          context,
          'ProcessNode',
          { Name: name.replaceAll('_', ' '), DeveloperName: name, ProcessDefinitionId: definition.Id },
          at,
        ).Id,
      ),
      approver: approverOf(context, approver, `${pointer}/steps/${step}/approver`),
    }))
    const updates = (fields: Row | undefined, place: string): Row =>
      fieldsOf(context, process.object, fields ?? {}, `${pointer}/${place}`)
    context.seeding.insert(approvalTable, {
      key: String(definition.Id),
      name: process.name,
      label,
      object: process.object,
      order: nth,
      ...(process.entryCriteria === undefined ? {} : { entryCriteria: process.entryCriteria }),
      steps,
      onSubmission: updates(process.onSubmission, 'onSubmission'),
      onApproval: updates(process.onApproval, 'onApproval'),
      onRejection: updates(process.onRejection, 'onRejection'),
      locksApproved: process.locksApproved !== false,
    })
  }
}

const approverOf = (context: SeedContext, written: string, pointer: string): Approver => {
  if (written === 'manager' || written === 'submitter') return { by: written }
  const user = context.users.get(written)
  if (user === undefined)
    context.seeding.warn(pointer, `no person has the handle ${written}; the integration user decides`)
  return { user: user ?? context.integrationId }
}

const fieldsOf = (context: SeedContext, object: string, fields: Row, pointer: string): Row => {
  const schema = context.schema.object(object)
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const field = schema?.field(name)
    if (field) kept[field.name] = value
    else context.seeding.warn(`${pointer}/${name}`, `${object} has no such field; it is left out`)
  }
  return kept
}
