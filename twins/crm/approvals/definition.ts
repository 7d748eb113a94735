import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import { evaluate } from '../formula/evaluate.ts'
import { parseFormula } from '../formula/parse.ts'
import { environmentOf } from '../formula/record.ts'
import type { Org } from '../records/organization.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { approvalTable, tableOf } from '../tables.ts'

/** Who decides a step: a user, the submitter's manager, or whom the submitter names. */
export type Approver = { readonly user: string } | { readonly by: 'manager' | 'submitter' }

export interface ApprovalStep {
  /** The id of the step's ProcessNode. */
  readonly node: string
  readonly approver: Approver
}

/** An approval process, under the id of its ProcessDefinition. */
export interface ApprovalProcess {
  readonly key: string
  readonly name: string
  readonly label: string
  readonly object: string
  /** Processes of an object are tried in their order. */
  readonly order: number
  /** A formula; every record may enter without one. */
  readonly entryCriteria?: string
  readonly steps: readonly ApprovalStep[]
  readonly onSubmission: Row
  readonly onApproval: Row
  readonly onRejection: Row
  /** Whether records stay locked once they are approved. */
  readonly locksApproved: boolean
}

export const processesIn = (tables: Readonly<Record<string, TableView>>): ApprovalProcess[] =>
  [...tableOf(tables, approvalTable).all()]
    .map((row) => row as unknown as ApprovalProcess)
    .sort((a, b) => a.order - b.order)

export const mayEnter = (org: Org, object: ObjectSchema, row: Row, process: ApprovalProcess): boolean =>
  process.entryCriteria === undefined ||
  evaluate(parseFormula(process.entryCriteria), environmentOf(org, object, { row, before: row })) === true
