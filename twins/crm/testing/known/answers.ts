import type { Known } from './known.ts'
import { accountTypes, dayIn, down, lots, pick, same, sorted, stageNames, sum, up } from './meaning.ts'

/** `$48,000.00`, as an American reads money. */
const dollars = (amount: number | null): string | null =>
  amount === null ? null : `$${amount.toFixed(2).replace(/(\d)(?=(\d{3})+\.)/g, '$1,')}`
const american = (day: string): string =>
  `${Number(day.slice(5, 7))}/${Number(day.slice(8, 10))}/${day.slice(0, 4)}`

/** What an answer holds, in which order, how much of it, and in which form. */
export const answers: readonly Known[] = [
  {
    soql: 'SELECT Name FROM Account ORDER BY Name',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account ORDER BY Name ASC',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account ORDER BY Name DESC',
    is: (org) =>
      sorted(
        org.Account,
        down((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name, AnnualRevenue FROM Account ORDER BY AnnualRevenue, Name',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.AnnualRevenue),
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name', 'AnnualRevenue')),
  },
  {
    soql: 'SELECT Name, AnnualRevenue FROM Account ORDER BY AnnualRevenue DESC, Name',
    is: (org) =>
      sorted(
        org.Account,
        down((a) => a.AnnualRevenue),
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name', 'AnnualRevenue')),
  },
  {
    soql: 'SELECT Name FROM Account ORDER BY AnnualRevenue NULLS LAST, Name DESC',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.AnnualRevenue, 'last'),
        down((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account ORDER BY AnnualRevenue DESC NULLS LAST, Name',
    is: (org) =>
      sorted(
        org.Account,
        down((a) => a.AnnualRevenue, 'last'),
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account ORDER BY AnnualRevenue DESC NULLS FIRST, Name',
    is: (org) =>
      sorted(
        org.Account,
        down((a) => a.AnnualRevenue),
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account ORDER BY BillingCity NULLS LAST, Name',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.BillingCity, 'last'),
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name, Type FROM Account ORDER BY Type, Name',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => accountTypes(a.Type)),
        up((a) => a.Name),
      ).map((a) => pick(a, 'Name', 'Type')),
  },
  {
    soql: 'SELECT Name FROM Opportunity ORDER BY StageName DESC, CloseDate DESC',
    is: (org) =>
      sorted(
        org.Opportunity,
        down((d) => stageNames(d.StageName)),
        down((d) => d.CloseDate),
      ).map((d) => pick(d, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Opportunity ORDER BY IsClosed, Amount NULLS LAST, Name',
    is: (org) =>
      sorted(
        org.Opportunity,
        up((d) => d.IsClosed),
        up((d) => d.Amount, 'last'),
        up((d) => d.Name),
      ).map((d) => pick(d, 'Name')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case ORDER BY CreatedDate DESC',
    is: (org) =>
      sorted(
        org.Case,
        down((c) => c.CreatedDate),
      ).map((c) => pick(c, 'CaseNumber')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case ORDER BY Subject, Priority NULLS LAST, CaseNumber',
    is: (org) =>
      sorted(
        org.Case,
        up((c) => c.Subject),
        up((c) => (c.Priority === null ? null : ['High', 'Medium', 'Low'].indexOf(c.Priority)), 'last'),
        up((c) => c.CaseNumber),
      ).map((c) => pick(c, 'CaseNumber')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case ORDER BY CaseNumber LIMIT 3',
    is: (org) => org.Case.slice(0, 3).map((c) => pick(c, 'CaseNumber')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case ORDER BY CaseNumber LIMIT 3 OFFSET 20',
    is: (org) => org.Case.slice(20, 23).map((c) => pick(c, 'CaseNumber')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case ORDER BY CaseNumber OFFSET 22',
    is: (org) => org.Case.slice(22).map((c) => pick(c, 'CaseNumber')),
  },
  { soql: 'SELECT CaseNumber FROM Case ORDER BY CaseNumber OFFSET 2000', is: () => [] },
  { soql: 'SELECT CaseNumber FROM Case LIMIT 0', is: () => [] },
  { soql: 'SELECT Id, Name FROM Account', is: (org) => org.Account.map((a) => pick(a, 'Id', 'Name')) },
  {
    soql: 'SELECT Id, OwnerId, ParentId FROM Account',
    is: (org) => org.Account.map((a) => ({ Id: a.Id, OwnerId: a.Owner.Id, ParentId: a.Parent?.Id ?? null })),
  },
  {
    soql: 'SELECT CreatedDate, CaseNumber FROM Case WHERE CreatedDate < 2025-10-26T00:00:00Z',
    is: (org) =>
      org.Case.filter((c) => c.CreatedDate < '2025-10-26').map((c) => pick(c, 'CreatedDate', 'CaseNumber')),
  },
  {
    soql: 'SELECT name, TYPE, annualrevenue FROM account',
    is: (org) => org.Account.map((a) => pick(a, 'Name', 'Type', 'AnnualRevenue')),
  },
  {
    soql: 'SELECT Name, StageName, Probability, ForecastCategory, IsWon FROM Opportunity WHERE IsClosed = true',
    is: (org) =>
      org.Opportunity.filter((d) => d.IsClosed).map((d) =>
        pick(d, 'Name', 'StageName', 'Probability', 'ForecastCategory', 'IsWon'),
      ),
  },
  {
    soql: 'SELECT FIELDS(CUSTOM) FROM Account WHERE Score__c != null LIMIT 200',
    is: (org) => org.Account.filter((a) => a.Score__c !== null).map((a) => pick(a, 'Region__c', 'Score__c')),
  },
  {
    soql: 'SELECT Name, FIELDS(CUSTOM) FROM Account ORDER BY Name LIMIT 4',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.Name),
      )
        .slice(0, 4)
        .map((a) => pick(a, 'Name', 'Region__c', 'Score__c')),
  },
  {
    soql: 'SELECT toLabel(Status), CaseNumber FROM Case',
    is: (org) => org.Case.map((c) => pick(c, 'Status', 'CaseNumber')),
  },
  {
    soql: "SELECT Name, toLabel(StageName) FROM Opportunity WHERE toLabel(StageName) = 'closed won'",
    is: (org) =>
      org.Opportunity.filter((d) => same(d.StageName, 'Closed Won')).map((d) => pick(d, 'Name', 'StageName')),
  },
  {
    soql: 'SELECT Name, FORMAT(Amount) money FROM Opportunity',
    is: (org) => org.Opportunity.map((d) => ({ Name: d.Name, money: dollars(d.Amount) })),
  },
  {
    soql: 'SELECT Amount, FORMAT(CloseDate) day FROM Opportunity',
    is: (org) => org.Opportunity.map((d) => ({ Amount: d.Amount, day: american(d.CloseDate) })),
  },
  {
    soql: "SELECT FORMAT(CreatedDate) at FROM Case WHERE CaseNumber = '00001024'",
    is: () => [{ at: '3/31/2026, 11:00 PM' }],
  },
  {
    soql: "SELECT FORMAT(CreatedDate) at FROM Case WHERE CaseNumber = '00001024'",
    as: 'lucia',
    is: () => [{ at: '3/31/2026, 5:00 PM' }],
  },
  {
    soql: 'SELECT FORMAT(MIN(CloseDate)) earliest, FORMAT(SUM(Amount)) s FROM Opportunity',
    is: (org) => [{ earliest: '3/31/2025', s: dollars(sum(org.Opportunity.map((d) => d.Amount))) }],
  },
  {
    soql: 'SELECT Name, convertCurrency(Amount) FROM Opportunity WHERE Amount > 10000',
    is: (org) =>
      org.Opportunity.filter((d) => (d.Amount ?? 0) > 10_000).map((d) => pick(d, 'Name', 'Amount')),
  },
  {
    soql: 'SELECT Name, IsDeleted FROM Opportunity',
    is: (org) => org.Opportunity.map((d) => ({ Name: d.Name, IsDeleted: false })),
  },
  {
    soql: 'SELECT Name, IsDeleted FROM Opportunity',
    all: true,
    is: (org) => [
      ...org.Opportunity.map((d) => ({ Name: d.Name, IsDeleted: false })),
      ...org.deleted.map((d) => ({ Name: d.Name, IsDeleted: true })),
    ],
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE IsDeleted = true',
    all: true,
    is: (org) => org.deleted.map((d) => pick(d, 'Name')),
  },
  { soql: 'SELECT Name FROM Opportunity WHERE IsDeleted = true', is: () => [] },
  {
    soql: 'SELECT Name, Account.Name FROM Opportunity WHERE IsDeleted = true AND Amount > 100 ORDER BY Name',
    all: true,
    is: (org) =>
      org.deleted
        .filter((d) => (d.Amount ?? 0) > 100)
        .map((d) => ({ Name: d.Name, Account: { Name: d.Account?.Name } })),
  },
  {
    soql: 'SELECT COUNT() FROM Opportunity',
    all: true,
    is: (org) => org.Opportunity.length + org.deleted.length,
  },
  {
    soql: 'SELECT IsDeleted, SUM(Amount) s FROM Opportunity GROUP BY IsDeleted',
    all: true,
    is: (org) => [
      { IsDeleted: false, s: sum(org.Opportunity.map((d) => d.Amount)) },
      { IsDeleted: true, s: sum(org.deleted.map((d) => d.Amount)) },
    ],
  },
  {
    soql: 'SELECT Name FROM Account USING SCOPE mine',
    as: 'lucia',
    is: (org) => org.Account.filter((a) => a.Owner === org.people.lucia).map((a) => pick(a, 'Name')),
  },
  {
    soql: "SELECT Name FROM Account WHERE Id = '001Kz000000001q'",
    is: (org) => [pick(org.accounts.acme, 'Name')],
  },
  {
    soql: "SELECT Name FROM Account WHERE Id = '001Kz000000001Q'",
    is: (org) => [pick(org.accounts.labs, 'Name')],
  },
  {
    soql: "SELECT Name FROM Account WHERE Id IN ('001Kz000000001q', '001Kz000000002q', '001Kz999999999q')",
    is: (org) => [org.accounts.acme, org.accounts.east].map((a) => pick(a, 'Name')),
  },
  {
    soql: "SELECT Name FROM Contact WHERE AccountId = '001Kz000000001q'",
    is: (org) => org.Contact.filter((c) => c.Account === org.accounts.acme).map((c) => pick(c, 'Name')),
  },
  {
    soql: "SELECT Name FROM Contact WHERE AccountId NOT IN ('001Kz000000001q') AND AccountId != null",
    is: (org) =>
      org.Contact.filter((c) => c.Account !== null && c.Account !== org.accounts.acme).map((c) =>
        pick(c, 'Name'),
      ),
  },
  {
    soql: 'SELECT Name, Email, TimeZoneSidKey FROM User WHERE IsActive = true',
    is: (org) => org.User.map((u) => pick(u, 'Name', 'Email', 'TimeZoneSidKey')),
  },
  {
    soql: "SELECT Name FROM Account WHERE Name LIKE 'a%' ORDER BY Owner.LastName, CreatedDate DESC FOR VIEW",
    is: (org) =>
      sorted(
        org.Account.filter((a) => /^a/i.test(a.Name)),
        up((a) => a.Owner.LastName),
        down((a) => a.CreatedDate),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account WITH SECURITY_ENFORCED ORDER BY CreatedDate, Name LIMIT 1',
    is: (org) => [pick(org.accounts.zeta, 'Name')],
  },
  {
    soql: 'SELECT Owner.Name, COUNT(Id) n FROM Case WHERE CreatedDate = THIS_MONTH GROUP BY Owner.Name ORDER BY COUNT(Id) DESC, Owner.Name',
    is: (org) =>
      sorted(
        lots(
          org.Case.filter((c) => dayIn('Europe/Berlin', c.CreatedDate).startsWith('2026-03')),
          (c) => c.Owner.Name,
        ),
        down(({ of }) => of.length),
        up(({ key }) => key),
      ).map(({ key, of }) => ({ Name: key, n: of.length })),
  },
]
