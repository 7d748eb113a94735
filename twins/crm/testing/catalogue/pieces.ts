import type { DeclaredField } from './declared.ts'

/** Objects that files and posts can be attached to. */
export const holders = [
  'Account',
  'Asset',
  'Campaign',
  'Case',
  'Contact',
  'Contract',
  'Event',
  'Knowledge__kav',
  'Lead',
  'Opportunity',
  'Order',
  'Product2',
  'Quote',
  'Task',
  'User',
]
export const accessLevels = ['Read', 'Edit', 'All']
export const audit: Readonly<Record<string, DeclaredField>> = {
  Id: {},
  IsDeleted: { type: 'boolean' },
  CreatedDate: { type: 'datetime', required: true },
  CreatedById: { to: ['User'], required: true },
  LastModifiedDate: { type: 'datetime', required: true },
  LastModifiedById: { to: ['User'], required: true },
  SystemModstamp: { type: 'datetime', required: true },
}
export const owned: Readonly<Record<string, DeclaredField>> = {
  ...audit,
  OwnerId: { to: ['User'], required: true },
}
export const money: DeclaredField = { type: 'currency' }
