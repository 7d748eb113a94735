/**
 * Queries written by hand, with the twin's own answers on the busy organization of the tests, read through and corrected
 * by eye against the data and the notes. They hold behaviour in place; they were not recorded from the real service.
 */
export const answers: readonly (readonly [query: string, answer: string])[] = [
  ['SELECT Name FROM Account', "Acme Foods; Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  ['select name from account', "Acme Foods; Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  ['SELECT Name FROM Account ORDER BY Name', "Acme Foods; Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  [
    'SELECT Name FROM Account ORDER BY Name DESC',
    "Delta Clinics; Cobalt & O'Brien; Borealis Energy; Acme Foods",
  ],
  ['SELECT Name FROM Account ORDER BY Name LIMIT 2', 'Acme Foods; Borealis Energy'],
  ['SELECT Name FROM Account ORDER BY Name LIMIT 2 OFFSET 1', "Borealis Energy; Cobalt & O'Brien"],
  ['SELECT Name FROM Account LIMIT 0', '#0'],
  ["SELECT Name FROM Account WHERE Name = 'Acme Foods'", 'Acme Foods'],
  ["SELECT Name FROM Account WHERE Name = 'ACME FOODS'", 'Acme Foods'],
  ["SELECT Name FROM Account WHERE Name != 'Acme Foods'", "Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  ["SELECT Name FROM Account WHERE Name <> 'Acme Foods'", "Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  ["SELECT Name FROM Account WHERE Name LIKE 'a%'", 'Acme Foods'],
  ["SELECT Name FROM Account WHERE Name LIKE '%s'", 'Acme Foods; Delta Clinics'],
  ["SELECT Name FROM Account WHERE Name LIKE '%o%b%'", "Cobalt & O'Brien"],
  ["SELECT Name FROM Account WHERE Name LIKE '_elta%'", 'Delta Clinics'],
  ["SELECT Name FROM Account WHERE Name LIKE 'Delta'", '#0'],
  ["SELECT Name FROM Account WHERE Name LIKE '%\\%%'", '#0'],
  ["SELECT Name FROM Account WHERE (NOT Name LIKE 'a%')", "Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  ["SELECT Name FROM Account WHERE NOT Name LIKE 'a%'", "Borealis Energy; Cobalt & O'Brien; Delta Clinics"],
  ["SELECT Name FROM Account WHERE Name = 'Cobalt & O\\'Brien'", "Cobalt & O'Brien"],
  ["SELECT Name FROM Account WHERE Name IN ('Acme Foods', 'delta clinics')", 'Acme Foods; Delta Clinics'],
  [
    "SELECT Name FROM Account WHERE Name NOT IN ('Acme Foods', 'delta clinics')",
    "Borealis Energy; Cobalt & O'Brien",
  ],
  ['SELECT Name FROM Account WHERE AnnualRevenue = null', "Borealis Energy; Cobalt & O'Brien"],
  ['SELECT Name FROM Account WHERE AnnualRevenue != null', 'Acme Foods; Delta Clinics'],
  ['SELECT Name FROM Account WHERE AnnualRevenue > 3400000', 'Acme Foods'],
  ['SELECT Name FROM Account WHERE AnnualRevenue >= 3400000', 'Acme Foods; Delta Clinics'],
  ['SELECT Name FROM Account WHERE AnnualRevenue < 5000000.50', 'Delta Clinics'],
  ['SELECT Name FROM Account WHERE AnnualRevenue <= 3400000', 'Delta Clinics'],
  [
    'SELECT Name FROM Account WHERE AnnualRevenue != 12000000',
    "Borealis Energy; Cobalt & O'Brien; Delta Clinics",
  ],
  ['SELECT Name FROM Account WHERE AnnualRevenue IN (12000000, 1)', 'Acme Foods'],
  ['SELECT Name FROM Account WHERE AnnualRevenue IN (null)', "Borealis Energy; Cobalt & O'Brien"],
  ['SELECT Name FROM Account WHERE AnnualRevenue > 1 AND NumberOfEmployees > 100', 'Acme Foods'],
  [
    'SELECT Name FROM Account WHERE AnnualRevenue > 1 OR NumberOfEmployees > 1000',
    'Acme Foods; Borealis Energy; Delta Clinics',
  ],
  [
    "SELECT Name FROM Account WHERE (AnnualRevenue > 1 AND NumberOfEmployees > 100) OR Name LIKE 'cob%'",
    "Acme Foods; Cobalt & O'Brien",
  ],
  [
    "SELECT Name FROM Account WHERE AnnualRevenue > 1 AND (NumberOfEmployees > 100 OR Name LIKE 'd%')",
    'Acme Foods; Delta Clinics',
  ],
  ['SELECT Name FROM Account WHERE NOT (AnnualRevenue = null)', 'Acme Foods; Delta Clinics'],
  [
    "SELECT Name FROM Account WHERE NOT (Name LIKE 'a%' OR Name LIKE 'b%')",
    "Cobalt & O'Brien; Delta Clinics",
  ],
  ["SELECT Name FROM Account WHERE Type = 'Prospect'", 'Borealis Energy'],
  [
    'SELECT Name, Type FROM Account ORDER BY Type',
    "Borealis Energy|Prospect; Acme Foods|Customer - Direct; Delta Clinics|Customer - Channel; Cobalt & O'Brien|Channel Partner / Reseller",
  ],
  ["SELECT Name FROM Account WHERE Industry = ''", '#0'],
  [
    'SELECT Name FROM Account WHERE Phone = null ORDER BY Name',
    "Borealis Energy; Cobalt & O'Brien; Delta Clinics",
  ],
  [
    'SELECT Name FROM Account ORDER BY AnnualRevenue',
    "Borealis Energy; Cobalt & O'Brien; Delta Clinics; Acme Foods",
  ],
  [
    'SELECT Name FROM Account ORDER BY AnnualRevenue NULLS LAST',
    "Delta Clinics; Acme Foods; Borealis Energy; Cobalt & O'Brien",
  ],
  [
    'SELECT Name FROM Account ORDER BY AnnualRevenue DESC',
    "Borealis Energy; Cobalt & O'Brien; Acme Foods; Delta Clinics",
  ],
  [
    'SELECT Name FROM Account ORDER BY AnnualRevenue DESC NULLS LAST',
    "Acme Foods; Delta Clinics; Borealis Energy; Cobalt & O'Brien",
  ],
  [
    'SELECT Name FROM Account ORDER BY AnnualRevenue NULLS LAST, Name DESC',
    "Delta Clinics; Acme Foods; Cobalt & O'Brien; Borealis Energy",
  ],
  [
    'SELECT Name, Owner.Name FROM Account',
    "Acme Foods|Lucía Fernández; Borealis Energy|Integration User; Cobalt & O'Brien|Mira Okafor; Delta Clinics|Integration User",
  ],
  [
    "SELECT Name, Owner.Alias, Owner.Email FROM Account WHERE Owner.Name = 'Lucía Fernández'",
    'Acme Foods|lucia|lucia@northwind.example',
  ],
  ["SELECT Name FROM Account WHERE Owner.Email LIKE 'mira@%'", "Cobalt & O'Brien"],
  [
    'SELECT Name FROM Account ORDER BY Owner.Name, Name',
    "Borealis Energy; Delta Clinics; Acme Foods; Cobalt & O'Brien",
  ],
  ['SELECT Account.Name FROM Account LIMIT 1', 'Acme Foods'],
  ["SELECT a.Name, a.Owner.Name FROM Account a WHERE a.Name LIKE 'B%'", 'Borealis Energy|Integration User'],
  [
    "SELECT c.Name, a.Name FROM Contact c, c.Account a WHERE a.Name = 'Delta Clinics'",
    'Tom Lee|Delta Clinics',
  ],
  [
    "SELECT Name FROM Contact WHERE Account.Name = 'Acme Foods' ORDER BY LastName",
    'Omar Haddad; Jane Whitfield',
  ],
  [
    "SELECT Name, Account.Owner.Name FROM Contact WHERE Account.Owner.Alias = 'lucia'",
    'Jane Whitfield|Lucía Fernández; Omar Haddad|Lucía Fernández',
  ],
  [
    "SELECT FirstName, LastName, Email FROM Contact WHERE Email = 'INES@borealis.example'",
    'Inês|Costa|ines@borealis.example',
  ],
  ["SELECT Name FROM Contact WHERE FirstName = 'inês'", 'Inês Costa'],
  [
    'SELECT Name FROM Contact WHERE ReportsTo.Name = null',
    'Jane Whitfield; Omar Haddad; Inês Costa; Tom Lee',
  ],
  ['SELECT Name, ReportsTo.Name FROM Contact LIMIT 1', 'Jane Whitfield|-'],
  [
    'SELECT Name, (SELECT Name FROM Contacts ORDER BY Name) FROM Account ORDER BY Name',
    "Acme Foods|[Jane Whitfield; Omar Haddad]; Borealis Energy|[Inês Costa]; Cobalt & O'Brien|-; Delta Clinics|[Tom Lee]",
  ],
  [
    'SELECT Name, (SELECT Name FROM Opportunities WHERE IsClosed = false ORDER BY Amount DESC LIMIT 1) FROM Account ORDER BY Name',
    "Acme Foods|[Acme Pump Renewal]; Borealis Energy|[Borealis Pilot]; Cobalt & O'Brien|-; Delta Clinics|-",
  ],
  [
    "SELECT Name, (SELECT CaseNumber, Contact.Name FROM Cases) FROM Account WHERE Name = 'Acme Foods'",
    'Acme Foods|[00001001|Jane Whitfield; 00001002|Omar Haddad]',
  ],
  ['SELECT Name, (SELECT Name FROM ChildAccounts) FROM Account LIMIT 1', 'Acme Foods|-'],
  ['SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Case)', 'Acme Foods; Delta Clinics'],
  [
    'SELECT Name FROM Account WHERE Id NOT IN (SELECT AccountId FROM Case)',
    "Borealis Energy; Cobalt & O'Brien",
  ],
  [
    "SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Opportunity WHERE StageName = 'Closed Won')",
    "Cobalt & O'Brien",
  ],
  [
    "SELECT Name FROM Contact WHERE AccountId IN (SELECT Id FROM Account WHERE Type LIKE 'Customer%') ORDER BY Name",
    'Jane Whitfield; Omar Haddad; Tom Lee',
  ],
  [
    "SELECT Name FROM Contact WHERE Id IN (SELECT ContactId FROM Case WHERE Status = 'Closed')",
    'Omar Haddad',
  ],
  [
    "SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Case WHERE Contact.Email = 'jane@acme.example') AND AnnualRevenue > 0",
    'Acme Foods',
  ],
  ['SELECT COUNT() FROM Account', '#4'],
  ["SELECT COUNT() FROM Account WHERE Name LIKE 'z%'", '#0'],
  ['SELECT COUNT() FROM Contact LIMIT 3', '#3'],
  ['SELECT COUNT(Id) FROM Account', '4'],
  ['SELECT COUNT(AnnualRevenue) FROM Account', '2'],
  ['SELECT COUNT(Id) total, SUM(Amount) worth FROM Opportunity', '5|200000'],
  ['SELECT AVG(Amount) FROM Opportunity WHERE IsClosed = false', '61166.666666666664'],
  ['SELECT MIN(CloseDate), MAX(CloseDate) FROM Opportunity', '2025-12-10|2026-06-15'],
  ['SELECT MIN(Name), MAX(Name) FROM Account', 'Acme Foods|Delta Clinics'],
  ['SELECT COUNT_DISTINCT(AccountId) FROM Opportunity', '4'],
  ["SELECT SUM(Amount) FROM Opportunity WHERE Name = 'nothing'", '-'],
  [
    'SELECT StageName, COUNT(Id) FROM Opportunity GROUP BY StageName',
    'Closed Lost|1; Closed Won|1; Negotiation/Review|1; Proposal/Price Quote|1; Prospecting|1',
  ],
  [
    'SELECT IsClosed, COUNT(Id) n, SUM(Amount) s FROM Opportunity GROUP BY IsClosed',
    'false|3|183500; true|2|16500',
  ],
  [
    'SELECT Account.Name, SUM(Amount) FROM Opportunity GROUP BY Account.Name ORDER BY SUM(Amount) DESC',
    "Borealis Energy|120000; Acme Foods|63500; Cobalt & O'Brien|9000; Delta Clinics|7500",
  ],
  [
    'SELECT Account.Name who, COUNT(Id) FROM Contact GROUP BY Account.Name ORDER BY COUNT(Id) DESC, Account.Name',
    'Acme Foods|2; Borealis Energy|1; Delta Clinics|1',
  ],
  ['SELECT Account.Name, COUNT(Id) FROM Contact GROUP BY Account.Name HAVING COUNT(Id) > 1', 'Acme Foods|2'],
  [
    'SELECT AccountId, COUNT(Id) FROM Opportunity GROUP BY AccountId HAVING SUM(Amount) > 60000 AND COUNT(Id) = 2',
    '001Jz000000CaR7IAK|2',
  ],
  [
    "SELECT Type, COUNT(Name) FROM Account GROUP BY Type HAVING Type LIKE 'Customer%'",
    'Customer - Channel|1; Customer - Direct|1',
  ],
  [
    'SELECT CALENDAR_YEAR(CloseDate), SUM(Amount) FROM Opportunity GROUP BY CALENDAR_YEAR(CloseDate)',
    '2025|7500; 2026|192500',
  ],
  [
    'SELECT CALENDAR_QUARTER(CloseDate) q, COUNT(Id) FROM Opportunity WHERE CALENDAR_YEAR(CloseDate) = 2026 GROUP BY CALENDAR_QUARTER(CloseDate) ORDER BY CALENDAR_QUARTER(CloseDate) DESC',
    '2|2; 1|2',
  ],
  [
    'SELECT IsWon, IsClosed, COUNT(Id) c FROM Opportunity GROUP BY ROLLUP(IsWon, IsClosed)',
    'false|false|3; false|true|1; false|-|4; true|true|1; true|-|1; -|-|5',
  ],
  [
    'SELECT IsWon, IsClosed, COUNT(Id) c FROM Opportunity GROUP BY CUBE(IsWon, IsClosed)',
    'false|false|3; false|true|1; false|-|4; true|true|1; true|-|1; -|false|3; -|true|2; -|-|5',
  ],
  [
    'SELECT IsWon, GROUPING(IsWon) g, COUNT(Id) c FROM Opportunity GROUP BY ROLLUP(IsWon)',
    'false|0|4; true|0|1; -|1|5',
  ],
  [
    'SELECT Type FROM Account GROUP BY Type',
    'Channel Partner / Reseller; Customer - Channel; Customer - Direct; Prospect',
  ],
  [
    "SELECT Name, Amount FROM Opportunity WHERE Amount > 10000 AND StageName != 'Closed Won' ORDER BY Amount",
    'Acme Retrofit|15500; Acme Pump Renewal|48000; Borealis Pilot|120000',
  ],
  [
    'SELECT Name, StageName FROM Opportunity ORDER BY StageName',
    'Acme Retrofit|Prospecting; Borealis Pilot|Proposal/Price Quote; Acme Pump Renewal|Negotiation/Review; Cobalt Framework|Closed Won; Delta Trial|Closed Lost',
  ],
  [
    'SELECT Name, Probability, ExpectedRevenue FROM Opportunity ORDER BY Probability DESC',
    'Cobalt Framework|100|9000; Acme Pump Renewal|90|43200; Borealis Pilot|75|90000; Acme Retrofit|10|1550; Delta Trial|0|0',
  ],
  [
    'SELECT Name, ForecastCategory, IsWon FROM Opportunity WHERE IsClosed = true ORDER BY Name',
    'Cobalt Framework|Closed|true; Delta Trial|Omitted|false',
  ],
  [
    "SELECT Name, Fiscal, FiscalQuarter, FiscalYear FROM Opportunity WHERE Name = 'Acme Retrofit'",
    'Acme Retrofit|2026 2|2|2026',
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate = THIS_QUARTER ORDER BY Name',
    'Acme Pump Renewal; Cobalt Framework',
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate = NEXT_QUARTER ORDER BY Name',
    'Acme Retrofit; Borealis Pilot',
  ],
  ['SELECT Name FROM Opportunity WHERE CloseDate = THIS_MONTH', 'Acme Pump Renewal'],
  ['SELECT Name FROM Opportunity WHERE CloseDate < THIS_YEAR', 'Delta Trial'],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate > TODAY ORDER BY CloseDate',
    'Acme Pump Renewal; Borealis Pilot; Acme Retrofit',
  ],
  ['SELECT Name FROM Opportunity WHERE CloseDate = LAST_YEAR', 'Delta Trial'],
  ['SELECT Name FROM Opportunity WHERE CloseDate = NEXT_N_DAYS:30', 'Acme Pump Renewal'],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate = NEXT_90_DAYS ORDER BY CloseDate',
    'Acme Pump Renewal; Borealis Pilot',
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate = LAST_N_MONTHS:3 ORDER BY CloseDate',
    'Delta Trial; Cobalt Framework',
  ],
  ['SELECT Name FROM Opportunity WHERE CloseDate = N_MONTHS_AGO:3', 'Delta Trial'],
  ['SELECT Name FROM Opportunity WHERE CloseDate = LAST_N_YEARS:1', 'Delta Trial'],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate = THIS_FISCAL_QUARTER ORDER BY Name',
    'Acme Pump Renewal; Cobalt Framework',
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate = NEXT_N_FISCAL_QUARTERS:1 ORDER BY Name',
    'Acme Retrofit; Borealis Pilot',
  ],
  ['SELECT Name FROM Opportunity WHERE CloseDate = 2026-03-31', 'Acme Pump Renewal'],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate >= 2026-03-31 AND CloseDate <= 2026-05-01 ORDER BY CloseDate',
    'Acme Pump Renewal; Borealis Pilot',
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate IN (2026-03-31, 2026-06-15) ORDER BY CloseDate',
    'Acme Pump Renewal; Acme Retrofit',
  ],
  ['SELECT Name FROM Opportunity WHERE CloseDate != THIS_YEAR', 'Delta Trial'],
  ['SELECT Name FROM Opportunity WHERE CALENDAR_MONTH(CloseDate) = 3', 'Acme Pump Renewal'],
  [
    'SELECT Name FROM Opportunity WHERE FISCAL_QUARTER(CloseDate) = 2 AND FISCAL_YEAR(CloseDate) = 2026 ORDER BY Name',
    'Acme Retrofit; Borealis Pilot',
  ],
  [
    'SELECT Name FROM Opportunity WHERE DAY_IN_MONTH(CloseDate) > 15 ORDER BY CloseDate',
    'Cobalt Framework; Acme Pump Renewal',
  ],
  ['SELECT Name FROM Opportunity WHERE DAY_IN_WEEK(CloseDate) = 3', 'Acme Pump Renewal; Cobalt Framework'],
  ['SELECT Name FROM Opportunity WHERE DAY_IN_YEAR(CloseDate) = 20', 'Cobalt Framework'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate = LAST_N_DAYS:7', '00001001; 00001002; 00001003'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate = TODAY', '#0'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate = LAST_WEEK', '00001001; 00001002; 00001003'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate = N_DAYS_AGO:4', '00001001; 00001002; 00001003'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate > 2026-02-26T09:30:00Z', '00001002; 00001003'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate >= 2026-02-26T11:00:00+01:00', '00001002; 00001003'],
  ['SELECT CaseNumber FROM Case WHERE CreatedDate < 2026-02-26T10:00:00.000Z', '00001001'],
  ['SELECT CaseNumber FROM Case WHERE HOUR_IN_DAY(CreatedDate) = 9', '00001001'],
  ['SELECT CaseNumber FROM Case WHERE HOUR_IN_DAY(convertTimezone(CreatedDate)) = 10', '00001001'],
  ['SELECT CaseNumber FROM Case WHERE DAY_ONLY(CreatedDate) = 2026-02-26', '00001001; 00001002; 00001003'],
  [
    'SELECT CaseNumber, Priority FROM Case ORDER BY Priority',
    '00001001|High; 00001002|Low; 00001003|Critical',
  ],
  [
    'SELECT CaseNumber, Status, IsClosed FROM Case ORDER BY CaseNumber DESC',
    '00001003|Escalated|false; 00001002|Closed|true; 00001001|New|false',
  ],
  ['SELECT CaseNumber FROM Case WHERE IsClosed = FALSE', '00001001; 00001003'],
  ['SELECT CaseNumber FROM Case WHERE ClosedDate = null', '00001001; 00001003'],
  [
    'SELECT CaseNumber, ContactEmail, ContactPhone FROM Case',
    '00001001|jane@acme.example|(614) 555-0101; 00001002|omar@acme.example|-; 00001003|-|-',
  ],
  ["SELECT CaseNumber FROM Case WHERE ContactEmail = 'omar@acme.example'", '00001002'],
  [
    'SELECT CaseNumber, Contact.Account.Name FROM Case',
    '00001001|Acme Foods; 00001002|Acme Foods; 00001003|-',
  ],
  [
    "SELECT CaseNumber, Owner.Name, Owner.Type FROM Case WHERE CaseNumber = '00001001'",
    '00001001|Integration User|User',
  ],
  [
    "SELECT CaseNumber, Owner.Name, Owner.Type FROM Case WHERE CaseNumber = '00001003'",
    '00001003|Support Queue|Queue',
  ],
  ["SELECT CaseNumber FROM Case WHERE Owner.Type = 'Queue'", '00001003'],
  ["SELECT CaseNumber FROM Case WHERE Owner.Name LIKE 'Support%'", '00001003'],
  [
    'SELECT CaseNumber, TYPEOF Owner WHEN User THEN Email WHEN Group THEN Name END FROM Case ORDER BY CaseNumber',
    '00001001|integration@northwind.example; 00001002|integration@northwind.example; 00001003|Support Queue',
  ],
  [
    'SELECT Subject, TYPEOF What WHEN Account THEN Phone, Name WHEN Opportunity THEN Amount ELSE Name END FROM Task ORDER BY Subject',
    'Call Jane|(614) 555-0100|Acme Foods; Send quote|120000',
  ],
  [
    'SELECT Subject, Who.Name, What.Name, What.Type FROM Task ORDER BY Subject',
    'Call Jane|Jane Whitfield|Acme Foods|Account; Send quote|-|Borealis Pilot|Opportunity',
  ],
  ["SELECT Subject FROM Task WHERE What.Type = 'Account'", 'Call Jane'],
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
    "SELECT Name, (SELECT Subject FROM Tasks ORDER BY Subject) FROM Account WHERE Name = 'Acme Foods'",
    'Acme Foods|[Call Jane]',
  ],
  [
    'SELECT Subject, StartDateTime, EndDateTime, DurationInMinutes, ActivityDate FROM Event',
    'Site visit|2026-02-27T13:00:00.000+0000|2026-02-27T14:30:00.000+0000|90|2026-02-27',
  ],
  ["SELECT Name FROM Lead WHERE Status = 'Open - Not Contacted'", 'Priya Nair'],
  [
    'SELECT Name, Company, Owner.Name FROM Lead ORDER BY Name',
    'Lars Holm|Fjord Logistics|Integration User; Priya Nair|Eastgate Hotels|Integration User',
  ],
  [
    "SELECT Name FROM Lead WHERE IsConverted = false AND LeadSource = 'Web' ORDER BY Name",
    'Lars Holm; Priya Nair',
  ],
  ['SELECT Name FROM Lead USING SCOPE mine ORDER BY Name', 'Lars Holm; Priya Nair'],
  ['SELECT Name FROM Account USING SCOPE mine ORDER BY Name', 'Borealis Energy; Delta Clinics'],
  ['SELECT Name FROM Account WITH SECURITY_ENFORCED ORDER BY Name LIMIT 1', 'Acme Foods'],
  ["SELECT Name FROM Account WHERE Name LIKE 'a%' WITH USER_MODE LIMIT 1", 'Acme Foods'],
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
  ["SELECT Name FROM User WHERE IsActive = true AND Username = 'dev@northwind.example'", 'Dev Sharma'],
  ["SELECT Name FROM User WHERE TimeZoneSidKey = 'Asia/Kolkata'", 'Dev Sharma'],
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
    'SELECT Account__r.Name, Topics__c FROM Visit__c ORDER BY Name',
    'Acme Foods|Price;Service; Acme Foods|Quality; Delta Clinics|-',
  ],
  ["SELECT Name FROM Visit__c WHERE Topics__c INCLUDES ('Price')", 'V1'],
  ["SELECT Name FROM Visit__c WHERE Topics__c INCLUDES ('Price;Service')", 'V1'],
  ["SELECT Name FROM Visit__c WHERE Topics__c EXCLUDES ('Price')", 'V2; V3'],
  ["SELECT Name FROM Visit__c WHERE Topics__c INCLUDES ('Price;Service', 'Quality') ORDER BY Name", 'V1; V2'],
  [
    'SELECT Name, (SELECT Name FROM Visits__r ORDER BY Name) FROM Account ORDER BY Name LIMIT 2',
    'Acme Foods|[V1; V2]; Borealis Energy|-',
  ],
  ['SELECT Name, Region__c, Score__c FROM Account WHERE Score__c > 1.5', 'Acme Foods|Midwest|4.5'],
  ['SELECT toLabel(Status), CaseNumber FROM Case LIMIT 1', 'New|00001001'],
  [
    "SELECT FORMAT(Amount) a, Name FROM Opportunity WHERE Name = 'Borealis Pilot'",
    '120,000.00|Borealis Pilot',
  ],
  ["SELECT convertCurrency(Amount) FROM Opportunity WHERE Name = 'Acme Retrofit'", '15500'],
  [
    "SELECT BillingAddress, ShippingAddress FROM Account WHERE Name = 'Acme Foods'",
    'Columbus|-|-|39.96|-83|-|OH|-|-',
  ],
  [
    "SELECT Name FROM Account WHERE DISTANCE(BillingAddress, GEOLOCATION(39.96, -83.0), 'mi') < 50",
    'Acme Foods',
  ],
  [
    "SELECT Name, DISTANCE(BillingAddress, GEOLOCATION(0.0, 0.0), 'km') d FROM Account WHERE BillingLatitude != null",
    'Acme Foods|9411.546638611513',
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
  ['SELECT CommentBody, IsPublished, Parent.CaseNumber FROM CaseComment', 'Technician booked|true|00001001'],
  [
    'SELECT Contact.Name, IsPrimary, Opportunity.Name FROM OpportunityContactRole',
    'Omar Haddad|true|Acme Pump Renewal',
  ],
  ['SELECT Name FROM Account WHERE CreatedDate > YESTERDAY', '#0'],
  ["SELECT Name FROM Account WHERE Name > 'C' ORDER BY Name", "Cobalt & O'Brien; Delta Clinics"],
  [
    "SELECT Name FROM Account WHERE Name >= 'cobalt & o''",
    "! MALFORMED_QUERY @52 line 1:52 mismatched character '<EOF>' expecting '''",
  ],
  ["SELECT Id FROM Account WHERE Id = '001000000000001'", '#0'],
  ['SELECT Name FROM Account WHERE OwnerId = null', '#0'],
  [
    "SELECT Name FROM Account WHERE Description = 'x'",
    "! INVALID_FIELD @32 field 'Description' can not be filtered in a query call",
  ],
  [
    'SELECT Name FROM Account ORDER BY Description',
    "! INVALID_FIELD @35 field 'Description' can not be sorted in a query call",
  ],
  [
    'SELECT Description, COUNT(Id) FROM Account GROUP BY Description',
    "! INVALID_FIELD @53 field 'Description' can not be grouped in a query call",
  ],
  [
    'SELECT AnnualRevenue, COUNT(Id) FROM Account GROUP BY AnnualRevenue',
    "! INVALID_FIELD @55 field 'AnnualRevenue' can not be grouped in a query call",
  ],
  [
    "SELECT Name FROM Account WHERE AnnualRevenue = '5'",
    "! INVALID_FIELD @32 value of filter criterion for field 'AnnualRevenue' must be of type currency and should not be enclosed in quotes",
  ],
  [
    'SELECT Name FROM Account WHERE Name = 5',
    "! INVALID_FIELD @32 value of filter criterion for field 'Name' must be of type string and should be enclosed in quotes",
  ],
  [
    "SELECT CaseNumber FROM Case WHERE CreatedDate = '2026-02-26'",
    "! INVALID_FIELD @35 value of filter criterion for field 'CreatedDate' must be of type dateTime and should not be enclosed in quotes",
  ],
  [
    'SELECT CaseNumber FROM Case WHERE CreatedDate > 2026-02-26',
    "! INVALID_FIELD @35 value of filter criterion for field 'CreatedDate' must be of type dateTime and should not be enclosed in quotes",
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate > 2026-02-26T00:00:00Z',
    "! INVALID_FIELD @36 value of filter criterion for field 'CloseDate' must be of type date and should not be enclosed in quotes",
  ],
  [
    "SELECT CaseNumber FROM Case WHERE IsClosed = 'true'",
    "! INVALID_FIELD @35 value of filter criterion for field 'IsClosed' must be of type boolean and should not be enclosed in quotes",
  ],
  [
    'SELECT CaseNumber FROM Case WHERE IsClosed > false',
    '! INVALID_QUERY_FILTER_OPERATOR @35 invalid operator on boolean field',
  ],
  ["SELECT Name FROM Account WHERE Id = 'abc'", '! INVALID_QUERY_FILTER_OPERATOR @32 invalid ID field: abc'],
  [
    "SELECT Name FROM Account WHERE Id LIKE '001%'",
    '! INVALID_QUERY_FILTER_OPERATOR @32 invalid operator on id field',
  ],
  [
    "SELECT Name FROM Account WHERE AnnualRevenue LIKE '1%'",
    "! INVALID_FIELD @32 value of filter criterion for field 'AnnualRevenue' must be of type currency and should not be enclosed in quotes",
  ],
  [
    "SELECT Name FROM Account WHERE Type INCLUDES ('Prospect')",
    '! INVALID_QUERY_FILTER_OPERATOR @32 includes or excludes operator only valid on multipicklist field',
  ],
  ['SELECT Foo FROM Account', "! INVALID_FIELD @8 No such column 'Foo' on entity 'Account'."],
  ['SELECT Name, Owner.Foo FROM Account', "! INVALID_FIELD @20 No such column 'Foo' on entity 'User'."],
  [
    'SELECT Boss.Name FROM Account',
    "! INVALID_FIELD @8 Didn't understand relationship 'Boss' in field path.",
  ],
  [
    "SELECT Name FROM Account WHERE Boss.Name = 'x'",
    "! INVALID_FIELD @32 Didn't understand relationship 'Boss' in field path.",
  ],
  [
    'SELECT Name, (SELECT Id FROM Children) FROM Account',
    "! INVALID_TYPE @30 Didn't understand relationship 'Children' in FROM part of query call.",
  ],
  ['SELECT Name FROM Accounts', "! INVALID_TYPE @18 sObject type 'Accounts' is not supported."],
  ['SELECT Name Title FROM Account', '! MALFORMED_QUERY only aggregate expressions use field aliasing'],
  ['SELECT DISTINCT Name FROM Account', '! MALFORMED_QUERY only aggregate expressions use field aliasing'],
  [
    "SELECT Name FROM Account WHERE Name = 'a' AND Type = 'b' OR Type = 'c'",
    "! MALFORMED_QUERY @58 unexpected token: 'OR'",
  ],
  ['SELECT Name, COUNT(Id) FROM Account', '! MALFORMED_QUERY Field must be grouped or aggregated: Name'],
  [
    'SELECT Name, COUNT(Id) FROM Account GROUP BY Type',
    '! MALFORMED_QUERY Field must be grouped or aggregated: Name',
  ],
  [
    'SELECT COUNT(Id) FROM Account ORDER BY Name',
    '! MALFORMED_QUERY Ordered field must be grouped or aggregated: Name',
  ],
  [
    'SELECT COUNT(Id) FROM Account LIMIT 5',
    '! MALFORMED_QUERY Non-grouped query that uses overall aggregate functions cannot also use LIMIT',
  ],
  [
    'SELECT SUM(Name) FROM Account',
    '! MALFORMED_QUERY @12 field Name does not support aggregate operator SUM',
  ],
  [
    'SELECT COUNT(), Name FROM Account',
    '! MALFORMED_QUERY Grouped query cannot use COUNT() with no arguments',
  ],
  ['SELECT * FROM Account', "! MALFORMED_QUERY @8 unexpected token: '*'"],
  ['SELECT Name, FROM Account', "! MALFORMED_QUERY @14 unexpected token: 'FROM'"],
  ['SELECT FROM Account', "! MALFORMED_QUERY @8 unexpected token: 'FROM'"],
  ['SELECT Name FROM Account WHERE', '! MALFORMED_QUERY @31 unexpected token: <EOF>'],
  ["SELECT Name FROM Account WHERE Name == 'x'", "! MALFORMED_QUERY @38 unexpected token: '='"],
  ['SELECT Name FROM Account WHERE Name = "x"', "! MALFORMED_QUERY @39 unexpected token: '\"'"],
  [
    "SELECT Name FROM Account WHERE Name = 'x",
    "! MALFORMED_QUERY @39 line 1:40 mismatched character '<EOF>' expecting '''",
  ],
  ["SELECT Name FROM Account LIMIT 5 WHERE Name = 'x'", "! MALFORMED_QUERY @34 unexpected token: 'WHERE'"],
  ['SELECT Name FROM Account;', "! MALFORMED_QUERY @25 unexpected token: ';'"],
  [
    'SELECT Name FROM Account WHERE Name = :name',
    '! MALFORMED_QUERY Bind variables only allowed in Apex code',
  ],
  ['SELECT Name FROM Account ALL ROWS', '! MALFORMED_QUERY ALL ROWS not allowed in this context'],
  ['SELECT Name FROM Account LIMIT x', "! MALFORMED_QUERY @32 unexpected token: 'x'"],
  [
    'SELECT Name FROM Account OFFSET 2001',
    '! NUMBER_OUTSIDE_VALID_RANGE Maximum SOQL offset allowed is 2000',
  ],
  [
    'SELECT FIELDS(ALL) FROM Account',
    '! MALFORMED_QUERY The SOQL FIELDS function must have a LIMIT of at most 200',
  ],
  [
    'SELECT FIELDS(ALL) FROM Account LIMIT 201',
    '! MALFORMED_QUERY The SOQL FIELDS function must have a LIMIT of at most 200',
  ],
  ['SELECT FIELDS(CUSTOM) FROM Account LIMIT 1', 'Midwest|4.5'],
  ['SELECT FIELDS(SOME) FROM Account LIMIT 1', '! MALFORMED_QUERY @8 Invalid argument to FIELDS function'],
  ['SELECT Name, Name FROM Account', '! INVALID_FIELD @14 duplicate field selected: Name'],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT AccountId, Id FROM Contact)',
    '! MALFORMED_QUERY semi join sub-selects must select exactly one field',
  ],
  [
    'SELECT Name FROM Account WHERE Name IN (SELECT Name FROM Contact)',
    "! MALFORMED_QUERY @32 The selected field 'Name' in the subquery and the left operand field in the where expression in the outer query should point to the same object type",
  ],
  [
    'SELECT TYPEOF Owner WHEN User THEN Email END FROM Account',
    "! INVALID_FIELD @15 TYPEOF can only be used with polymorphic relationships, and 'Owner' is none",
  ],
  ["UPDATE Account SET Name = 'x'", "! MALFORMED_QUERY @1 unexpected token: 'UPDATE'"],
  ['SELECT Name FROM Account GROUP BY', '! MALFORMED_QUERY @34 unexpected token: <EOF>'],
  ['SELECT Name FROM Account HAVING COUNT(Id) > 1', '! MALFORMED_QUERY HAVING requires GROUP BY'],
]
