import {
  changed,
  formerUser,
  found,
  idOf,
  made,
  type Organization,
  read,
  removed,
  type VendorRule,
} from './rule.ts'

const queueOf = (organization: Organization, object: string): string => {
  const queue = organization.create('Group', { Name: `${object}s`, Type: 'Queue' })
  organization.create('QueueSobject', { QueueId: queue, SobjectType: object })
  return queue
}
const loop = (organization: Organization, object: string, field: string, fields: object) => {
  const upper = organization.create(object, fields)
  const named = object === 'UserRole' ? { Name: 'Branch' } : {}
  const lower = organization.create(object, { ...fields, ...named, [field]: upper })
  return changed(organization, object, upper, { [field]: lower })
}
const convert = (organization: Organization, lead: string, more = '') => {
  const text = organization.soap(
    `<convertLead><leadConverts><leadId>${lead}</leadId><convertedStatus>Closed - Converted</convertedStatus>${more}</leadConverts></convertLead>`,
  )
  const code = /<statusCode>(\w+)</.exec(text)?.[1]
  return code ? { status: 400, body: [{ errorCode: code }] } : read(organization, 'Lead', lead)
}

export const peopleRules: readonly VendorRule[] = [
  ...(['Account', 'Contact', 'Lead', 'Opportunity', 'Case', 'Task', 'Campaign'] as const).map(
    (object): VendorRule => ({
      object,
      rule: 'an inactive user cannot be made the owner',
      evidence: 'recorded error',
      when: (org) => {
        const [record] = found(org, `SELECT Id FROM ${object} WHERE Owner.Alias != 'mira' LIMIT 1`)
        return changed(org, object, String(record?.Id), { OwnerId: formerUser(org) })
      },
      is: 'INACTIVE_OWNER_OR_USER',
    }),
  ),
  {
    object: 'Account',
    rule: 'an inactive user cannot own a new record',
    evidence: 'recorded error',
    when: (org) => made(org, 'Account', { Name: 'x', OwnerId: formerUser(org) }),
    is: 'INACTIVE_OWNER_OR_USER',
  },
  {
    object: 'Case',
    rule: 'a queue owns only records of the objects that it supports',
    evidence: 'recorded error',
    when: (org) => changed(org, 'Case', org.key('leak'), { OwnerId: queueOf(org, 'Lead') }),
    is: 'INVALID_OPERATION',
  },
  {
    object: 'Lead',
    rule: 'a public group is not a queue',
    evidence: 'recorded error',
    when: (org) =>
      changed(org, 'Lead', org.key('priya'), {
        OwnerId: org.create('Group', { Name: 'All', Type: 'Regular' }),
      }),
    is: 'INVALID_OPERATION',
  },
  {
    object: 'Account',
    rule: 'queues cannot own accounts',
    evidence: 'help',
    when: (org) => changed(org, 'Account', org.key('acme'), { OwnerId: queueOf(org, 'Case') }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  ...(
    [
      ['Account', 'ParentId', { Name: 'Tree' }],
      ['Contact', 'ReportsToId', { LastName: 'Tree' }],
      ['Case', 'ParentId', { Subject: 'Tree' }],
      ['Campaign', 'ParentId', { Name: 'Tree' }],
      ['UserRole', 'ParentRoleId', { Name: 'Tree', OpportunityAccessForAccountOwner: 'Edit' }],
    ] as const
  ).map(
    ([object, field, fields]): VendorRule => ({
      object,
      rule: `${field} cannot make a loop`,
      evidence: 'help',
      when: (org) => loop(org, object, field, fields),
      is: 'CIRCULAR_DEPENDENCY',
    }),
  ),
  {
    object: 'Account',
    rule: 'a record is not its own parent',
    evidence: 'help',
    when: (org) => changed(org, 'Account', org.key('acme'), { ParentId: org.key('acme') }),
    is: 'CIRCULAR_DEPENDENCY',
  },
  {
    object: 'Campaign',
    rule: 'a hierarchy of campaigns has at most five levels',
    evidence: 'help',
    when: (org) => {
      let parent = org.create('Campaign', { Name: 'Level 1' })
      for (let level = 2; level <= 5; level++)
        parent = org.create('Campaign', { Name: `Level ${level}`, ParentId: parent })
      return made(org, 'Campaign', { Name: 'Level 6', ParentId: parent })
    },
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Account',
    rule: 'an account with won opportunities cannot be deleted',
    evidence: 'recorded error',
    when: (org) => removed(org, 'Account', org.key('cobalt')),
    is: 'DELETE_FAILED',
  },
  {
    object: 'Account',
    rule: 'an account with cases cannot be deleted',
    evidence: 'recorded error',
    when: (org) => removed(org, 'Account', org.key('acme')),
    is: 'DELETE_FAILED',
  },
  {
    object: 'Account',
    rule: 'an account with activated contracts cannot be deleted',
    evidence: 'help',
    when: (org) => {
      const id = org.create('Contract', { AccountId: org.key('borealis') })
      changed(org, 'Contract', id, { Status: 'Activated' })
      return removed(org, 'Account', org.key('borealis'))
    },
    is: 'DELETE_FAILED',
  },
  {
    object: 'Contact',
    rule: 'a contact with cases cannot be deleted',
    evidence: 'recorded error',
    when: (org) => removed(org, 'Contact', org.key('jane')),
    is: 'DELETE_FAILED',
  },
  {
    object: 'Account',
    rule: 'a latitude lies between -90 and 90',
    evidence: 'object reference',
    when: (org) => changed(org, 'Account', org.key('acme'), { BillingLatitude: 91 }),
    is: 'NUMBER_OUTSIDE_VALID_RANGE',
  },
  {
    object: 'Account',
    rule: 'a longitude lies between -180 and 180',
    evidence: 'object reference',
    when: (org) => changed(org, 'Account', org.key('acme'), { BillingLongitude: -181 }),
    is: 'NUMBER_OUTSIDE_VALID_RANGE',
  },
  {
    object: 'Lead',
    rule: 'a contact is given to a conversion together with its account',
    evidence: 'API reference',
    when: (org) => convert(org, org.key('lars'), `<contactId>${org.key('jane')}</contactId>`),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'Lead',
    rule: 'the lead of a queue is converted with an owner',
    evidence: 'API reference',
    when: (org) => {
      changed(org, 'Lead', org.key('lars'), { OwnerId: queueOf(org, 'Lead') })
      return convert(org, org.key('lars'))
    },
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'Lead',
    rule: 'a converted lead cannot be converted again',
    evidence: 'API reference',
    when: (org) => {
      convert(org, org.key('lars'))
      return convert(org, org.key('lars'))
    },
    is: 'CANNOT_UPDATE_CONVERTED_LEAD',
  },
  {
    object: 'CampaignMember',
    rule: 'a member is a lead or a contact, not both',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'CampaignMember', {
        CampaignId: idOf(org, 'SELECT Id FROM Campaign'),
        LeadId: org.key('priya'),
        ContactId: org.key('omar'),
      }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'CampaignMember',
    rule: 'nobody is a member of a campaign twice',
    evidence: 'recorded error',
    when: (org) =>
      made(org, 'CampaignMember', {
        CampaignId: idOf(org, 'SELECT Id FROM Campaign'),
        LeadId: org.key('lars'),
      }),
    is: 'DUPLICATE_VALUE',
  },
  {
    object: 'CampaignMember',
    rule: 'the status of a new member is the default of its campaign',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'CampaignMember', {
        CampaignId: idOf(org, 'SELECT Id FROM Campaign'),
        LeadId: org.key('priya'),
      }),
    is: { Status: 'Sent', HasResponded: false },
  },
  {
    object: 'CampaignMemberStatus',
    rule: 'a new campaign has the statuses Sent and Responded',
    evidence: 'help',
    when: (org) => {
      const statuses = found(org, 'SELECT Label FROM CampaignMemberStatus ORDER BY SortOrder')
      return { status: 200, body: { labels: statuses.map(({ Label }) => Label).join() } }
    },
    is: { labels: 'Sent,Responded' },
  },
  {
    object: 'CampaignMemberStatus',
    rule: 'a campaign has one default status',
    evidence: 'object reference',
    when: (org) => {
      const sent = idOf(org, "SELECT Id FROM CampaignMemberStatus WHERE Label = 'Sent'")
      const responded = idOf(org, "SELECT Id FROM CampaignMemberStatus WHERE Label = 'Responded'")
      changed(org, 'CampaignMemberStatus', responded, { IsDefault: true })
      return read(org, 'CampaignMemberStatus', sent)
    },
    is: { IsDefault: false },
  },
  {
    object: 'QueueSobject',
    rule: 'queues support only objects that queues can own',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'QueueSobject', {
        QueueId: idOf(org, "SELECT Id FROM Group WHERE Type = 'Queue'"),
        SobjectType: 'Account',
      }),
    is: 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
  },
  {
    object: 'Group',
    rule: 'a queue that owns records cannot be deleted',
    evidence: 'help',
    when: (org) => removed(org, 'Group', idOf(org, "SELECT Id FROM Group WHERE Type = 'Queue'")),
    is: 'DELETE_FAILED',
  },
  {
    object: 'GroupMember',
    rule: 'a group does not contain itself',
    evidence: 'help',
    when: (org) => {
      const [outer, inner] = ['Outer', 'Inner'].map((Name) => org.create('Group', { Name, Type: 'Regular' }))
      org.create('GroupMember', { GroupId: outer, UserOrGroupId: inner })
      return made(org, 'GroupMember', { GroupId: inner, UserOrGroupId: outer })
    },
    is: 'CIRCULAR_DEPENDENCY',
  },
  {
    object: 'User',
    rule: 'a user name is unique',
    evidence: 'recorded error',
    when: (org) => {
      const [first, second] = found(org, 'SELECT Id, Username FROM User')
      return changed(org, 'User', String(first?.Id), { Username: second?.Username })
    },
    is: 'DUPLICATE_USERNAME',
  },
]
