import type { Known } from './known.ts'
import { pick, same, sorted, up } from './meaning.ts'
import type { Account, Opportunity, Visit } from './records.ts'

const accounts =
  (keep: (account: Account) => boolean): Known['is'] =>
  (org) =>
    org.Account.filter(keep).map((one) => pick(one, 'Name'))
const deals =
  (keep: (deal: Opportunity) => boolean): Known['is'] =>
  (org) =>
    org.Opportunity.filter(keep).map((one) => pick(one, 'Name'))
const visits =
  (keep: (topics: string[], visit: Visit) => boolean): Known['is'] =>
  (org) =>
    org.Visit.filter((one) => keep(one.Topics__c?.split(';') ?? [], one)).map((one) => pick(one, 'Name'))

/** Comparisons, text, nulls, numbers, lists, choices and how they are joined. */
export const filters: readonly Known[] = [
  { soql: 'SELECT Name FROM Account', is: accounts(() => true) },
  { soql: 'select NAME from aCCOUNT', is: accounts(() => true) },
  {
    soql: "SELECT Name FROM Account WHERE Name = 'Acme Foods'",
    is: accounts((a) => a.Name === 'Acme Foods'),
  },
  { soql: "SELECT Name FROM Account WHERE Name = 'ACME LABS'", is: accounts((a) => a.Name === 'acme labs') },
  { soql: "SELECT Name FROM Account WHERE Name = 'Acme'", is: () => [] },
  {
    soql: "SELECT Name FROM Account WHERE Name = 'éclair bakery'",
    is: accounts((a) => a.Name === 'Éclair Bakery'),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name = 'Cobalt & O\\'Brien'",
    is: accounts((a) => a.Name === "Cobalt & O'Brien"),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name = 'Back\\\\slash Co'",
    is: accounts((a) => a.Name === 'Back\\slash Co'),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name != 'acme foods'",
    is: accounts((a) => a.Name !== 'Acme Foods'),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name <> 'acme foods'",
    is: accounts((a) => a.Name !== 'Acme Foods'),
  },
  {
    soql: "SELECT Name FROM Account WHERE Industry = 'Food & Beverage'",
    is: accounts((a) => same(a.Industry, 'food & beverage')),
  },
  {
    soql: "SELECT Name FROM Account WHERE Industry != 'Energy'",
    is: accounts((a) => a.Industry === null || a.Industry !== 'Energy'),
  },
  {
    soql: "SELECT Name FROM Account WHERE NOT (Industry = 'Energy')",
    is: accounts((a) => a.Industry !== 'Energy'),
  },
  { soql: 'SELECT Name FROM Account WHERE Industry = null', is: accounts((a) => a.Industry === null) },
  { soql: 'SELECT Name FROM Account WHERE Industry != NULL', is: accounts((a) => a.Industry !== null) },
  { soql: "SELECT Name FROM Account WHERE Industry = ''", is: accounts((a) => a.Industry === null) },
  { soql: "SELECT Name FROM Account WHERE Industry != ''", is: accounts((a) => a.Industry !== null) },
  {
    soql: "SELECT Name FROM Account WHERE Industry IN ('Energy', null)",
    is: accounts((a) => a.Industry === null || a.Industry === 'Energy'),
  },
  {
    soql: "SELECT Name FROM Account WHERE Industry IN ('ENERGY', 'finance')",
    is: accounts((a) => ['Energy', 'Finance'].includes(a.Industry ?? '')),
  },
  {
    soql: "SELECT Name FROM Account WHERE Industry NOT IN ('Energy', 'Finance')",
    is: accounts((a) => !['Energy', 'Finance'].includes(a.Industry ?? '')),
  },
  {
    soql: "SELECT Name FROM Account WHERE Industry NOT IN ('Energy', null)",
    is: accounts((a) => a.Industry !== null && a.Industry !== 'Energy'),
  },
  { soql: "SELECT Name FROM Account WHERE Name < 'B'", is: accounts((a) => a.Name.toUpperCase() < 'B') },
  {
    soql: "SELECT Name FROM Account WHERE Name >= 'acme labs'",
    is: accounts((a) => a.Name.toUpperCase() >= 'ACME LABS'),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name > 'Acme Labs' AND Name <= 'delta clinics'",
    is: accounts((a) => a.Name.toUpperCase() > 'ACME LABS' && a.Name.toUpperCase() <= 'DELTA CLINICS'),
  },
  { soql: "SELECT Name FROM Account WHERE Name LIKE 'acme%'", is: accounts((a) => /^acme/i.test(a.Name)) },
  { soql: "SELECT Name FROM Account WHERE Name LIKE '%LTD'", is: accounts((a) => /ltd$/i.test(a.Name)) },
  { soql: "SELECT Name FROM Account WHERE Name LIKE '%b%e%'", is: accounts((a) => /b.*e/i.test(a.Name)) },
  {
    soql: "SELECT Name FROM Account WHERE Name LIKE 'Under_score%'",
    is: accounts((a) => /^under.score/i.test(a.Name)),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name LIKE 'Under\\_score%'",
    is: accounts((a) => /^under_score/i.test(a.Name)),
  },
  { soql: "SELECT Name FROM Account WHERE Name LIKE '%\\%%'", is: accounts((a) => a.Name.includes('%')) },
  { soql: "SELECT Name FROM Account WHERE Name LIKE '%\\\\%'", is: accounts((a) => a.Name.includes('\\')) },
  { soql: "SELECT Name FROM Account WHERE Name LIKE '%\\'%'", is: accounts((a) => a.Name.includes("'")) },
  { soql: "SELECT Name FROM Account WHERE Name LIKE 'acme'", is: () => [] },
  {
    soql: "SELECT Name FROM Account WHERE Name LIKE '_clair%'",
    is: accounts((a) => /^.clair/i.test(a.Name)),
  },
  { soql: "SELECT Name FROM Account WHERE (NOT Name LIKE 'a%')", is: accounts((a) => !/^a/i.test(a.Name)) },
  {
    soql: "SELECT Name FROM Account WHERE BillingCity LIKE 'colum%' AND BillingState = null",
    is: accounts((a) => /^colum/i.test(a.BillingCity ?? '') && a.BillingState === null),
  },
  {
    soql: 'SELECT Name FROM Account WHERE AnnualRevenue = 3400000',
    is: accounts((a) => a.AnnualRevenue === 3_400_000),
  },
  {
    soql: 'SELECT Name FROM Account WHERE AnnualRevenue = 3400000.50',
    is: accounts((a) => a.AnnualRevenue === 3_400_000.5),
  },
  {
    soql: 'SELECT Name FROM Account WHERE AnnualRevenue > 3400000',
    is: accounts((a) => a.AnnualRevenue !== null && a.AnnualRevenue > 3_400_000),
  },
  {
    soql: 'SELECT Name FROM Account WHERE AnnualRevenue <= 0',
    is: accounts((a) => a.AnnualRevenue !== null && a.AnnualRevenue <= 0),
  },
  { soql: 'SELECT Name FROM Account WHERE AnnualRevenue != 0', is: accounts((a) => a.AnnualRevenue !== 0) },
  {
    soql: 'SELECT Name FROM Account WHERE AnnualRevenue = null',
    is: accounts((a) => a.AnnualRevenue === null),
  },
  {
    soql: 'SELECT Name FROM Account WHERE Score__c < 0',
    is: accounts((a) => a.Score__c !== null && a.Score__c < 0),
  },
  {
    soql: 'SELECT Name FROM Account WHERE Score__c >= -1.5 AND Score__c < .5',
    is: accounts((a) => a.Score__c !== null && a.Score__c >= -1.5 && a.Score__c < 0.5),
  },
  {
    soql: 'SELECT Name FROM Account WHERE NumberOfEmployees IN (12, 1200)',
    is: accounts((a) => a.NumberOfEmployees === 12 || a.NumberOfEmployees === 1_200),
  },
  {
    soql: 'SELECT Name FROM Account WHERE NumberOfEmployees NOT IN (240)',
    is: accounts((a) => a.NumberOfEmployees !== 240),
  },
  {
    soql: "SELECT Name FROM Account WHERE Rating = 'Hot' AND NumberOfEmployees > 1",
    is: accounts((a) => a.Rating === 'Hot' && (a.NumberOfEmployees ?? 0) > 1),
  },
  {
    soql: "SELECT Name FROM Account WHERE (Rating = 'Hot' AND Type LIKE 'Customer%') OR Name LIKE 'z%'",
    is: accounts((a) => (a.Rating === 'Hot' && /^customer/i.test(a.Type ?? '')) || /^z/i.test(a.Name)),
  },
  {
    soql: "SELECT Name FROM Account WHERE Rating = 'Hot' AND (Type = 'Other' OR AnnualRevenue > 5000000 OR Name LIKE 'cob%')",
    is: accounts(
      (a) =>
        a.Rating === 'Hot' &&
        (a.Type === 'Other' || (a.AnnualRevenue ?? 0) > 5_000_000 || /^cob/i.test(a.Name)),
    ),
  },
  {
    soql: "SELECT Name FROM Account WHERE NOT (Rating = 'Hot' OR Rating = null)",
    is: accounts((a) => a.Rating !== 'Hot' && a.Rating !== null),
  },
  {
    soql: "SELECT Name FROM Account WHERE NOT Rating = 'Hot' AND Type != null",
    is: accounts((a) => a.Rating !== 'Hot' && a.Type !== null),
  },
  { soql: 'SELECT Name FROM Opportunity WHERE IsClosed = true', is: deals((d) => d.IsClosed) },
  { soql: 'SELECT Name FROM Opportunity WHERE IsClosed != TRUE', is: deals((d) => !d.IsClosed) },
  {
    soql: 'SELECT Name FROM Opportunity WHERE IsWon = false AND IsClosed = true',
    is: deals((d) => d.IsClosed && !d.IsWon),
  },
  { soql: 'SELECT Name FROM Visit__c WHERE Billable__c = null', is: visits((_topics, v) => !v.Billable__c) },
  { soql: 'SELECT Name FROM Visit__c WHERE Billable__c != null', is: visits((_topics, v) => v.Billable__c) },
  { soql: 'SELECT Name FROM Opportunity WHERE Amount = 0', is: deals((d) => d.Amount === 0) },
  {
    soql: 'SELECT Name FROM Opportunity WHERE Amount < 7500.01',
    is: deals((d) => d.Amount !== null && d.Amount < 7_500.01),
  },
  {
    soql: "SELECT Name FROM Opportunity WHERE LeadSource = 'Web'",
    is: deals((d) => same(d.LeadSource, 'Web')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c INCLUDES ('Price')",
    is: visits((t) => t.includes('Price')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c INCLUDES ('Service;Price')",
    is: visits((t) => t.includes('Price') && t.includes('Service')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c INCLUDES ('Price;Service', 'Quality')",
    is: visits((t) => (t.includes('Price') && t.includes('Service')) || t.includes('Quality')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c EXCLUDES ('Price')",
    is: visits((t) => !t.includes('Price')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c EXCLUDES ('Price;Quality', 'Service')",
    is: visits((t) => !(t.includes('Price') && t.includes('Quality')) && !t.includes('Service')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c = 'Price'",
    is: visits((t) => t.length === 1 && t[0] === 'Price'),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c = 'Service;Price'",
    is: visits((t) => t.length === 2 && t.includes('Service') && t.includes('Price')),
  },
  {
    soql: "SELECT Name FROM Visit__c WHERE Topics__c != 'Service;Price'",
    is: visits((t) => !(t.length === 2 && t.includes('Service') && t.includes('Price'))),
  },
  { soql: 'SELECT Name FROM Visit__c WHERE Topics__c = null', is: visits((t) => t.length === 0) },
  {
    soql: "SELECT CaseNumber FROM Case WHERE Subject LIKE 'pump%' AND Status IN ('new', 'ESCALATED')",
    is: (org) =>
      org.Case.filter((c) => /^pump/i.test(c.Subject ?? '') && c.Status !== 'Closed').map((c) =>
        pick(c, 'CaseNumber'),
      ),
  },
  {
    soql: 'SELECT FirstName, LastName FROM Contact WHERE FirstName = null',
    is: (org) => org.Contact.filter((c) => c.FirstName === null).map((c) => pick(c, 'FirstName', 'LastName')),
  },
  {
    soql: "SELECT Email FROM Contact WHERE Email LIKE '%@ACME.example' ORDER BY Email",
    is: (org) =>
      sorted(
        org.Contact.filter((c) => /@acme\.example$/i.test(c.Email ?? '')),
        up((c) => c.Email),
      ).map((c) => pick(c, 'Email')),
  },
]
