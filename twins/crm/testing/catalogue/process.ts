import type { DeclaredObject } from './declared.ts'
import { audit } from './pieces.ts'

/** Objects whose records can be submitted for approval. */
const submitted = [
  'Account',
  'Asset',
  'Campaign',
  'Case',
  'Contact',
  'Contract',
  'Lead',
  'Opportunity',
  'Order',
  'Product2',
  'Quote',
]
const actor = { to: ['Group', 'User'], write: '' } as const
const text = { type: 'string', write: '' } as const

/** Approval processes and what they have decided; all of it is written by the service alone. */
export const processes: Readonly<Record<string, DeclaredObject>> = {
  ProcessDefinition: {
    label: 'Process Definition',
    plural: 'Process Definition',
    prefix: '04a',
    flags: 'qR',
    fields: {
      Name: { ...text, name: true, required: true },
      DeveloperName: { ...text, required: true, length: 80 },
      Type: { picklist: ['Approval', 'State-based Workflow'], restricted: true, write: '' },
      Description: text,
      TableEnumOrId: { ...text, required: true },
      LockType: {
        picklist: ['Total', 'Admin', 'Owner', 'Workitem', 'Node', 'none'],
        restricted: true,
        write: '',
      },
      State: { picklist: ['Active', 'Inactive', 'Obsolete'], restricted: true, write: '' },
      CreatedDate: { type: 'datetime', required: true },
      SystemModstamp: { type: 'datetime', required: true },
    },
  },
  ProcessNode: {
    label: 'Process Node',
    plural: 'Process Node',
    prefix: '04b',
    flags: 'qR',
    fields: {
      Name: { ...text, name: true, required: true },
      DeveloperName: { ...text, required: true, length: 80 },
      ProcessDefinitionId: { to: ['ProcessDefinition'], required: true, write: '' },
      Description: text,
      SystemModstamp: { type: 'datetime', required: true },
    },
    under: [['ProcessDefinition', 'ProcessNodes', 'ProcessDefinitionId', 1]],
  },
  ProcessInstance: {
    label: 'Process Instance',
    plural: 'Process Instance',
    prefix: '04g',
    flags: 'qRr',
    fields: {
      ...audit,
      ProcessDefinitionId: { to: ['ProcessDefinition'], required: true, write: '' },
      TargetObjectId: { to: submitted, as: 'TargetObject', required: true, write: '' },
      Status: {
        picklist: [
          'Approved',
          'Rejected',
          'Removed',
          'Fault',
          'Pending',
          'Hold',
          'Reassigned',
          'Started',
          'NoResponse',
        ],
        restricted: true,
        required: true,
        write: '',
      },
      CompletedDate: { type: 'datetime', write: '' },
      LastActorId: { to: ['User'], write: '' },
      SubmittedById: { to: ['User'], as: 'SubmittedBy', write: '' },
    },
    under: submitted.map((parent) => [parent, 'ProcessInstances', 'TargetObjectId', 1] as const),
  },
  ProcessInstanceStep: {
    label: 'Process Instance Step',
    plural: 'Process Instance Step',
    prefix: '04h',
    flags: 'qR',
    fields: {
      Id: {},
      ProcessInstanceId: { to: ['ProcessInstance'], required: true, write: '' },
      StepStatus: {
        picklist: [
          'Approved',
          'Rejected',
          'Removed',
          'Fault',
          'Pending',
          'Hold',
          'Reassigned',
          'Started',
          'NoResponse',
        ],
        restricted: true,
        write: '',
      },
      OriginalActorId: { ...actor, as: 'OriginalActor', required: true },
      ActorId: { ...actor, as: 'Actor', required: true },
      Comments: { ...text, length: 4_000 },
      StepNodeId: { to: ['ProcessNode'], as: 'StepNode', write: '' },
      CreatedDate: { type: 'datetime', required: true },
      CreatedById: { to: ['User'], required: true },
      SystemModstamp: { type: 'datetime', required: true },
    },
    under: [['ProcessInstance', 'Steps', 'ProcessInstanceId', 1]],
  },
  ProcessInstanceWorkitem: {
    label: 'Approval Request',
    plural: 'Approval Requests',
    prefix: '04i',
    flags: 'qRr',
    fields: {
      Id: {},
      IsDeleted: { type: 'boolean' },
      ProcessInstanceId: { to: ['ProcessInstance'], required: true, write: '' },
      OriginalActorId: { ...actor, as: 'OriginalActor', required: true },
      ActorId: { ...actor, as: 'Actor', required: true },
      CreatedDate: { type: 'datetime', required: true },
      CreatedById: { to: ['User'], required: true },
      SystemModstamp: { type: 'datetime', required: true },
    },
    under: [['ProcessInstance', 'Workitems', 'ProcessInstanceId', 1]],
  },
}
