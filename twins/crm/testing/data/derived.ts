/**
 * What the service works out on its own, asked of the busy organization of the tests: each answer follows by hand from
 * what `setup.ts` and `world.ts` put there. Rows by `;`, values by `|`, nothing as `-`.
 */
export const derived: readonly (readonly [query: string, answer: string])[] = [
  [
    'SELECT Name, Probability, ExpectedRevenue FROM Opportunity ORDER BY Probability DESC',
    'Cobalt Framework|100|9000; Acme Pump Renewal|90|43200; Borealis Pilot|75|90000; Acme Retrofit|10|1550; Delta Trial|0|0',
  ],
  [
    "SELECT Name, Fiscal, FiscalQuarter, FiscalYear FROM Opportunity WHERE Name = 'Acme Retrofit'",
    'Acme Retrofit|2026 2|2|2026',
  ],
  [
    'SELECT CaseNumber, ContactEmail, ContactPhone FROM Case',
    '00001001|jane@acme.example|(614) 555-0101; 00001002|omar@acme.example|-; 00001003|-|-',
  ],
  ["SELECT CaseNumber FROM Case WHERE ContactEmail = 'omar@acme.example'", '00001002'],
  ["SELECT Subject, Account.Name FROM Task WHERE Who.Name = 'Jane Whitfield'", 'Call Jane|Acme Foods'],
  [
    'SELECT Subject, IsClosed, IsHighPriority FROM Task ORDER BY Subject',
    'Call Jane|true|false; Send quote|false|true',
  ],
  [
    'SELECT Name, LastActivityDate FROM Account ORDER BY Name',
    "Acme Foods|2026-02-27; Borealis Energy|-; Cobalt & O'Brien|-; Delta Clinics|-",
  ],
  ['SELECT Name, LastActivityDate FROM Opportunity WHERE LastActivityDate != null', '#0'],
  [
    'SELECT Subject, StartDateTime, EndDateTime, DurationInMinutes, ActivityDate FROM Event',
    'Site visit|2026-02-27T13:00:00.000+0000|2026-02-27T14:30:00.000+0000|90|2026-02-27',
  ],
  ['SELECT MasterLabel FROM LeadStatus WHERE IsConverted = true', 'Closed - Converted'],
  ['SELECT MasterLabel FROM CaseStatus WHERE IsClosed = true', 'Closed'],
  [
    'SELECT MasterLabel, DefaultProbability FROM OpportunityStage WHERE IsActive = true ORDER BY SortOrder LIMIT 3',
    'Prospecting|10; Qualification|10; Needs Analysis|20',
  ],
  ['SELECT ApiName FROM OpportunityStage WHERE IsWon = true', 'Closed Won'],
  [
    'SELECT Name, IsSandbox, OrganizationType, FiscalYearStartMonth FROM Organization',
    'Northwind Supply|false|Enterprise Edition|1',
  ],
  [
    'SELECT Name, Profile.Name, UserRole.Name FROM User ORDER BY Name',
    'Dev Sharma|Standard User|Operations; Integration User|System Administrator|-; Lucía Fernández|Standard User|Operations; Mira Okafor|System Administrator|Operations',
  ],
  ['SELECT Name FROM Profile ORDER BY Name', 'Standard User; System Administrator'],
  ['SELECT Name, Type FROM Group', 'Support Queue|Queue'],
  [
    "SELECT QualifiedApiName FROM EntityDefinition WHERE QualifiedApiName IN ('Account', 'Visit__c') ORDER BY QualifiedApiName",
    'Account; Visit__c',
  ],
  [
    "SELECT QualifiedApiName, DataType FROM FieldDefinition WHERE EntityDefinition.QualifiedApiName = 'Account' AND QualifiedApiName LIKE '%__c' ORDER BY QualifiedApiName",
    'NaicsDesc|Text(120); Region__c|Text(20); Score__c|Number(17, 1); Sic|Text(20); SicDesc|Text(80)',
  ],
  ["SELECT COUNT() FROM FieldDefinition WHERE EntityDefinitionId = 'OpportunityContactRole'", '#11'],
  ['SELECT Name FROM RecordType', '#0'],
  [
    "SELECT BillingAddress, ShippingAddress FROM Account WHERE Name = 'Acme Foods'",
    'Columbus|-|-|39.96|-83|-|OH|-|-',
  ],
  [
    'SELECT Name, Amount, (SELECT Name, Quantity, TotalPrice FROM OpportunityLineItems ORDER BY Quantity) FROM Opportunity WHERE HasOpportunityLineItem = true',
    'Acme Retrofit|15500|[Acme Retrofit Seal kit|100|15500]',
  ],
  [
    'SELECT UnitPrice, Product2.Name, Pricebook2.Name FROM PricebookEntry',
    '155|Seal kit|Standard Price Book',
  ],
  ['SELECT Name, NumberOfLeads, NumberOfContacts, NumberOfResponses FROM Campaign', 'Spring fair|1|1|1'],
  [
    'SELECT Name, CompanyOrAccount, Type, Status, HasResponded FROM CampaignMember ORDER BY Name',
    'Jane Whitfield|Acme Foods|Contact|Responded|true; Lars Holm|Fjord Logistics|Lead|Sent|false',
  ],
  [
    "SELECT StageName, Probability FROM OpportunityHistory WHERE Opportunity.Name = 'Acme Pump Renewal'",
    'Negotiation/Review|90',
  ],
  ["SELECT Field, NewValue FROM CaseHistory WHERE Case.CaseNumber = '00001002'", 'created|-; Status|Closed'],
  [
    'SELECT Contact.Name, IsPrimary, Opportunity.Name FROM OpportunityContactRole',
    'Omar Haddad|true|Acme Pump Renewal',
  ],
]
