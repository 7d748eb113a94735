import { changed, idOf, made, type Organization, read, removed, type VendorRule } from './rule.ts'

const visit = (organization: Organization) => idOf(organization, "SELECT Id FROM Visit__c WHERE Name = 'V1'")
const query = (organization: Organization, soql: string) =>
  organization.call('GET', `/query?q=${encodeURIComponent(soql)}`)

/** Rules for saving any record, and for the resources that save. */
export const savingRules: readonly VendorRule[] = [
  {
    object: 'Contact',
    rule: 'an id of another object cannot be what a field points to',
    evidence: 'recorded error',
    when: (org) => made(org, 'Contact', { LastName: 'Ray', AccountId: org.key('jane') }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Contact',
    rule: 'what is no id at all is malformed',
    evidence: 'recorded error',
    when: (org) => made(org, 'Contact', { LastName: 'Ray', AccountId: 'Acme' }),
    is: 'MALFORMED_ID',
  },
  {
    object: 'Opportunity',
    rule: 'dates end with the year 4000',
    evidence: 'query reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-renewal'), { CloseDate: '4001-01-01' }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Opportunity',
    rule: 'dates begin with the year 1700',
    evidence: 'query reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-renewal'), { CloseDate: '1700-01-01' }),
    is: { CloseDate: '1700-01-01' },
  },
  {
    object: 'Visit__c',
    rule: 'a record keeps its master',
    evidence: 'help',
    when: (org) => changed(org, 'Visit__c', visit(org), { Account__c: org.key('delta') }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'PricebookEntry',
    rule: 'a price that follows the standard price is not given',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'PricebookEntry', {
        Pricebook2Id: org.create('Pricebook2', { Name: 'Partners', IsActive: true }),
        Product2Id: idOf(org, 'SELECT Id FROM Product2'),
        UseStandardPrice: true,
        IsActive: true,
      }),
    is: { UnitPrice: 155 },
  },
  {
    object: 'PermissionSetAssignment',
    rule: 'a user has a permission set once',
    evidence: 'recorded error',
    when: (org) => {
      const assignment = {
        AssigneeId: idOf(org, "SELECT Id FROM User WHERE Alias = 'mira'"),
        PermissionSetId: org.create('PermissionSet', { Name: 'Pricing', Label: 'Pricing' }),
      }
      org.create('PermissionSetAssignment', assignment)
      return made(org, 'PermissionSetAssignment', assignment)
    },
    is: 'DUPLICATE_VALUE',
  },
  {
    object: 'UpsertTable__c',
    rule: 'an upsert that may only update creates nothing',
    evidence: 'API reference',
    when: (org) =>
      org.call('PATCH', '/sobjects/UpsertTable__c/ExtId__c/none?updateOnly=true', { Name: 'One' }),
    is: 'NOT_FOUND',
  },
  {
    object: 'Contact',
    rule: 'a parent can be changed through its child',
    evidence: 'API reference',
    when: (org) => {
      const reply = org.call('PATCH', `/sobjects/Contact/${org.key('jane')}/Account`, { Phone: '555' })
      return reply.status === 204 ? read(org, 'Account', org.key('acme')) : reply
    },
    is: { Phone: '555' },
  },
  {
    object: 'Contact',
    rule: 'a parent can be deleted through its child',
    evidence: 'API reference',
    when: (org) => {
      const reply = org.call('DELETE', `/sobjects/Contact/${org.key('ines')}/Account`)
      return reply.status === 204 ? removed(org, 'Account', org.key('borealis')) : reply
    },
    is: 'ENTITY_IS_DELETED',
  },
  {
    object: 'Account',
    rule: 'a job that is open cannot be deleted',
    evidence: 'API reference',
    when: (org) => {
      const { id } = org.call('POST', '/jobs/ingest', { object: 'Account', operation: 'insert' }).body
      return org.call('DELETE', `/jobs/ingest/${id}`)
    },
    is: 'INVALIDJOBSTATE',
  },
  ...['SELECT COUNT(Id) FROM Account', 'SELECT Id, (SELECT Id FROM Contacts) FROM Account'].map(
    (text): VendorRule => ({
      object: 'Account',
      rule: `a bulk query cannot be ${text}`,
      evidence: 'API reference',
      when: (org) => org.call('POST', '/jobs/query', { operation: 'query', query: text }),
      is: 'API_ERROR',
    }),
  ),
  {
    object: 'Account',
    rule: 'what FROM lists besides its object are relationships',
    evidence: 'query reference',
    when: (org) => query(org, 'SELECT Id FROM Account, Contact'),
    is: 'INVALID_TYPE',
  },
  {
    object: 'Contact',
    rule: 'FROM can name a relationship by an alias',
    evidence: 'query reference',
    when: (org) => query(org, "SELECT c.Id FROM Contact c, c.Account a WHERE a.Name = 'Acme Foods'"),
    is: { totalSize: 2 },
  },
  {
    object: 'Opportunity',
    rule: 'a date function is selected only where it is grouped by',
    evidence: 'query reference',
    when: (org) => query(org, 'SELECT CALENDAR_YEAR(CloseDate) FROM Opportunity'),
    is: 'MALFORMED_QUERY',
  },
  {
    object: 'Account',
    rule: 'FIELDS() does not go with aggregates',
    evidence: 'query reference',
    when: (org) => query(org, 'SELECT FIELDS(ALL), COUNT(Id) FROM Account LIMIT 1'),
    is: 'MALFORMED_QUERY',
  },
  {
    object: 'Account',
    rule: 'FIELDS() does not repeat what is selected beside it',
    evidence: 'query reference',
    when: (org) => query(org, 'SELECT Id, FIELDS(STANDARD) FROM Account'),
    is: 'INVALID_FIELD',
  },
  {
    object: 'Account',
    rule: 'a merge is asked for by the element that the description of the service names',
    evidence: 'API reference',
    when: (org) => {
      const twice = org.create('Account', { Name: 'Acme Food' })
      org.soap(
        `<merge><request><masterRecord><type>Account</type><Id>${org.key('acme')}</Id></masterRecord><recordToMergeIds>${twice}</recordToMergeIds></request></merge>`,
      )
      return removed(org, 'Account', twice)
    },
    is: 'ENTITY_IS_DELETED',
  },
  {
    object: 'Account',
    rule: 'the references of a tree are unique',
    evidence: 'API reference',
    when: (org) => {
      const record = { attributes: { type: 'Account', referenceId: 'one' }, Name: 'Twice' }
      const { status, body } = org.call('POST', '/composite/tree/Account', { records: [record, record] })
      return { status, body: [{ errorCode: body.results[0]?.errors?.[0]?.statusCode }] }
    },
    is: 'INVALID_INPUT',
  },
]
