/** Rules of the vendor's reference that the twin does not keep: each is listed in the coverage. */
export const rulesLeftOut: readonly { readonly object: string; readonly rule: string }[] = [
  { object: 'Account', rule: 'territories give access' },
  { object: 'AccountShare', rule: 'rows for owners, rules and implicit access can be read' },
  { object: 'Asset', rule: 'RootAssetId and AssetLevel follow from the hierarchy' },
  { object: 'Campaign', rule: 'totals of a hierarchy of campaigns' },
  {
    object: 'Case',
    rule: 'assignment and auto-response rules run; escalation rules go by priority and age alone',
  },
  { object: 'Contract', rule: 'the term of the account’s settings is the default' },
  { object: 'Contract', rule: 'deleting an activated contract needs its own permission' },
  { object: 'Event', rule: 'invitees and the instances of recurring events are created' },
  { object: 'Lead', rule: 'custom fields are mapped by the organization’s conversion settings' },
  { object: 'Opportunity', rule: 'splits, teams, schedules and similar opportunities' },
  { object: 'OpportunityLineItem', rule: 'quantity and revenue schedules make fields read-only' },
  { object: 'Quote', rule: 'a quote is synced with its opportunity' },
  { object: 'Territory2', rule: 'assignment rules give accounts and opportunities to territories' },
  { object: 'Task', rule: 'the instances of recurring tasks are created' },
  { object: 'User', rule: 'licences limit how many users can be active' },
]
