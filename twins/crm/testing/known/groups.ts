import type { Known } from './known.ts'
import { accountTypes, average, down, lots, pick, same, sorted, stageNames, sum, up } from './meaning.ts'
import type { Case, Opportunity } from './records.ts'

const amounts = (deals: readonly Opportunity[]) => deals.map((d) => d.Amount)
const total = (deals: readonly Opportunity[]) => sum(amounts(deals))
const least = <T extends string | number>(values: readonly T[]): T | null =>
  [...values].sort((a, b) => (a < b ? -1 : 1))[0] ?? null
const most = <T extends string | number>(values: readonly T[]): T | null =>
  [...values].sort((a, b) => (a > b ? -1 : 1))[0] ?? null
const year = (day: string) => Number(day.slice(0, 4))
const month = (day: string) => Number(day.slice(5, 7))
const quarter = (day: string) => Math.ceil(month(day) / 3)
const held = <T>(values: readonly (T | null)[]): T[] => values.filter((one): one is T => one !== null)
const different = (values: readonly (string | number | null)[]) => new Set(held(values)).size
const byStatus = (cases: readonly Case[]) => lots(cases, (c) => c.Status)

/** Counts, sums and the like, of all and of groups, and of groups of groups. */
export const groups: readonly Known[] = [
  { soql: 'SELECT COUNT() FROM Account', is: (org) => org.Account.length },
  {
    soql: "SELECT COUNT() FROM Account WHERE Name LIKE 'a%'",
    is: (org) => org.Account.filter((a) => /^a/i.test(a.Name)).length,
  },
  { soql: "SELECT COUNT() FROM Account WHERE Name = 'nobody'", is: () => 0 },
  { soql: 'SELECT COUNT() FROM Case LIMIT 5', is: () => 5 },
  {
    soql: 'SELECT COUNT() FROM Contact WHERE Account.Industry = null',
    is: (org) => org.Contact.filter((c) => (c.Account?.Industry ?? null) === null).length,
  },
  { soql: 'SELECT COUNT(Id) FROM Account', is: (org) => [{ expr0: org.Account.length }] },
  {
    soql: 'SELECT COUNT(Industry) FROM Account',
    is: (org) => [{ expr0: held(org.Account.map((a) => a.Industry)).length }],
  },
  {
    soql: 'SELECT count(AccountId) c FROM Contact',
    is: (org) => [{ c: held(org.Contact.map((c) => c.Account)).length }],
  },
  {
    soql: 'SELECT COUNT_DISTINCT(AccountId) FROM Contact',
    is: (org) => [{ expr0: different(org.Contact.map((c) => c.Account?.Id ?? null)) }],
  },
  {
    soql: 'SELECT COUNT_DISTINCT(StageName), COUNT(Id) all_of_them FROM Opportunity',
    is: (org) => [
      { expr0: different(org.Opportunity.map((d) => d.StageName)), all_of_them: org.Opportunity.length },
    ],
  },
  { soql: 'SELECT SUM(Amount) FROM Opportunity', is: (org) => [{ expr0: total(org.Opportunity) }] },
  {
    soql: 'SELECT AVG(Amount) FROM Opportunity',
    is: (org) => [{ expr0: average(amounts(org.Opportunity)) }],
  },
  {
    soql: 'SELECT AVG(Amount) mean, MAX(Amount) top, MIN(Amount) low FROM Opportunity WHERE IsClosed = true',
    is: (org) => {
      const closed = org.Opportunity.filter((d) => d.IsClosed)
      return [
        {
          mean: average(amounts(closed)),
          top: most(held(amounts(closed))),
          low: least(held(amounts(closed))),
        },
      ]
    },
  },
  {
    soql: "SELECT SUM(Amount), AVG(Amount), MIN(Amount), COUNT(Id) FROM Opportunity WHERE Name = 'none such'",
    is: () => [{ expr0: null, expr1: null, expr2: null, expr3: 0 }],
  },
  { soql: "SELECT SUM(Amount) FROM Opportunity WHERE Name = 'Delta Upgrade'", is: () => [{ expr0: null }] },
  {
    soql: 'SELECT MIN(CloseDate), MAX(CloseDate) FROM Opportunity',
    is: (org) => [
      {
        expr0: least(org.Opportunity.map((d) => d.CloseDate)),
        expr1: most(org.Opportunity.map((d) => d.CloseDate)),
      },
    ],
  },
  {
    soql: 'SELECT MIN(CreatedDate) earliest, MAX(CreatedDate) latest FROM Case',
    is: (org) => [
      {
        earliest: least(org.Case.map((c) => c.CreatedDate)),
        latest: most(org.Case.map((c) => c.CreatedDate)),
      },
    ],
  },
  {
    soql: 'SELECT MIN(Name), MAX(Name) FROM Contact',
    is: (org) => [
      { expr0: least(org.Contact.map((c) => c.Name)), expr1: most(org.Contact.map((c) => c.Name)) },
    ],
  },
  {
    soql: 'SELECT MIN(StageName), MAX(StageName) FROM Opportunity',
    is: (org) => {
      const listed = sorted(
        org.Opportunity,
        up((d) => stageNames(d.StageName)),
      )
      return [{ expr0: listed[0]?.StageName, expr1: listed.at(-1)?.StageName }]
    },
  },
  {
    soql: 'SELECT Status, COUNT(Id) FROM Case GROUP BY Status',
    is: (org) => byStatus(org.Case).map(({ key, of }) => ({ Status: key, expr0: of.length })),
  },
  {
    soql: 'SELECT Status, Priority, COUNT(Id) n FROM Case GROUP BY Status, Priority',
    is: (org) =>
      byStatus(org.Case).flatMap(({ key, of }) =>
        lots(of, (c) => c.Priority).map((lot) => ({ Status: key, Priority: lot.key, n: lot.of.length })),
      ),
  },
  {
    soql: 'SELECT Priority FROM Case GROUP BY Priority',
    is: (org) => lots(org.Case, (c) => c.Priority).map(({ key }) => ({ Priority: key })),
  },
  {
    soql: "SELECT Industry, SUM(NumberOfEmployees) staff FROM Account WHERE Industry != null AND Industry != 'Food & Beverage' GROUP BY Industry",
    is: (org) =>
      lots(
        org.Account.filter((a) => a.Industry !== null && !same(a.Industry, 'Food & Beverage')),
        (a) => a.Industry,
      ).map(({ key, of }) => ({ Industry: key, staff: sum(of.map((a) => a.NumberOfEmployees)) })),
  },
  {
    soql: 'SELECT Account.Name, SUM(Amount) worth FROM Opportunity GROUP BY Account.Name',
    is: (org) =>
      lots(org.Opportunity, (d) => d.Account?.Name ?? null).map(({ key, of }) => ({
        Name: key,
        worth: total(of),
      })),
  },
  {
    soql: 'SELECT Account.Owner.Alias who, COUNT(Id) n FROM Opportunity GROUP BY Account.Owner.Alias',
    is: (org) =>
      lots(org.Opportunity, (d) => d.Account?.Owner.Alias ?? null).map(({ key, of }) => ({
        who: key,
        n: of.length,
      })),
  },
  {
    soql: 'SELECT AccountId, COUNT(Id) FROM Opportunity GROUP BY AccountId HAVING COUNT(Id) > 1',
    is: (org) =>
      lots(org.Opportunity, (d) => d.Account?.Id ?? null)
        .filter(({ of }) => of.length > 1)
        .map(({ key, of }) => ({ AccountId: key, expr0: of.length })),
  },
  {
    soql: 'SELECT StageName, SUM(Amount) s FROM Opportunity GROUP BY StageName HAVING SUM(Amount) >= 9000 AND COUNT(Id) < 3',
    is: (org) =>
      lots(org.Opportunity, (d) => d.StageName)
        .filter(({ of }) => (total(of) ?? 0) >= 9_000 && of.length < 3)
        .map(({ key, of }) => ({ StageName: key, s: total(of) })),
  },
  {
    soql: "SELECT StageName, COUNT(Id) FROM Opportunity GROUP BY StageName HAVING StageName LIKE 'closed%' OR MAX(Amount) > 100000",
    is: (org) =>
      lots(org.Opportunity, (d) => d.StageName)
        .filter(({ key, of }) => /^closed/i.test(key) || (most(held(amounts(of))) ?? 0) > 100_000)
        .map(({ key, of }) => ({ StageName: key, expr0: of.length })),
  },
  {
    soql: 'SELECT StageName FROM Opportunity GROUP BY StageName HAVING NOT (COUNT(Id) > 1)',
    is: (org) =>
      lots(org.Opportunity, (d) => d.StageName)
        .filter(({ of }) => of.length <= 1)
        .map(({ key }) => ({ StageName: key })),
  },
  {
    soql: 'SELECT StageName, COUNT(Id) n FROM Opportunity WHERE Amount != null GROUP BY StageName ORDER BY COUNT(Id) DESC, MIN(Name)',
    is: (org) =>
      sorted(
        lots(
          org.Opportunity.filter((d) => d.Amount !== null),
          (d) => d.StageName,
        ),
        down(({ of }) => of.length),
        up(({ of }) => least(of.map((d) => d.Name))),
      ).map(({ key, of }) => ({ StageName: key, n: of.length })),
  },
  {
    soql: 'SELECT StageName, COUNT(Id) n FROM Opportunity GROUP BY StageName ORDER BY StageName',
    is: (org) =>
      sorted(
        lots(org.Opportunity, (d) => d.StageName),
        up(({ key }) => stageNames(key)),
      ).map(({ key, of }) => ({
        StageName: key,
        n: of.length,
      })),
  },
  {
    soql: 'SELECT Type, COUNT(Id) n FROM Account GROUP BY Type ORDER BY Type DESC NULLS LAST LIMIT 3',
    is: (org) =>
      sorted(
        lots(org.Account, (a) => a.Type),
        down(({ key }) => accountTypes(key), 'last'),
      )
        .slice(0, 3)
        .map(({ key, of }) => ({ Type: key, n: of.length })),
  },
  {
    soql: 'SELECT Account.Name n, SUM(Amount) s FROM Opportunity GROUP BY Account.Name ORDER BY SUM(Amount) DESC NULLS LAST LIMIT 2 OFFSET 1',
    is: (org) =>
      sorted(
        lots(org.Opportunity, (d) => d.Account?.Name ?? null),
        down(({ of }) => total(of), 'last'),
      )
        .slice(1, 3)
        .map(({ key, of }) => ({ n: key, s: total(of) })),
  },
  {
    soql: 'SELECT CALENDAR_YEAR(CloseDate), COUNT(Id) FROM Opportunity GROUP BY CALENDAR_YEAR(CloseDate)',
    is: (org) =>
      lots(org.Opportunity, (d) => year(d.CloseDate)).map(({ key, of }) => ({
        expr0: key,
        expr1: of.length,
      })),
  },
  {
    soql: 'SELECT CALENDAR_YEAR(CloseDate) y, CALENDAR_QUARTER(CloseDate) q, SUM(Amount) s FROM Opportunity GROUP BY CALENDAR_YEAR(CloseDate), CALENDAR_QUARTER(CloseDate) ORDER BY CALENDAR_YEAR(CloseDate) DESC, CALENDAR_QUARTER(CloseDate)',
    is: (org) =>
      sorted(
        lots(org.Opportunity, (d) => `${year(d.CloseDate)} ${quarter(d.CloseDate)}`).map(({ key, of }) => ({
          y: Number(key.slice(0, 4)),
          q: Number(key.slice(5)),
          s: total(of),
        })),
        down(({ y }) => y),
        up(({ q }) => q),
      ),
  },
  {
    soql: 'SELECT CALENDAR_MONTH(CreatedDate) m, COUNT(Id) n FROM Case GROUP BY CALENDAR_MONTH(CreatedDate)',
    is: (org) => lots(org.Case, (c) => month(c.CreatedDate)).map(({ key, of }) => ({ m: key, n: of.length })),
  },
  {
    soql: 'SELECT DAY_ONLY(CreatedDate) d, COUNT(Id) n FROM Case GROUP BY DAY_ONLY(CreatedDate) ORDER BY DAY_ONLY(CreatedDate) DESC',
    is: (org) =>
      sorted(
        lots(org.Case, (c) => c.CreatedDate.slice(0, 10)),
        down(({ key }) => key),
      ).map(({ key, of }) => ({ d: key, n: of.length })),
  },
  {
    soql: 'SELECT IsClosed, IsWon, COUNT(Id) n FROM Opportunity GROUP BY ROLLUP(IsClosed, IsWon)',
    is: (org) => [
      ...lots(org.Opportunity, (d) => d.IsClosed).flatMap(({ key, of }) => [
        ...lots(of, (d) => d.IsWon).map((lot) => ({ IsClosed: key, IsWon: lot.key, n: lot.of.length })),
        { IsClosed: key, IsWon: null, n: of.length },
      ]),
      { IsClosed: null, IsWon: null, n: org.Opportunity.length },
    ],
  },
  {
    soql: 'SELECT IsClosed, IsWon, SUM(Amount) s FROM Opportunity GROUP BY CUBE(IsClosed, IsWon)',
    is: (org) => [
      ...lots(org.Opportunity, (d) => d.IsClosed).flatMap(({ key, of }) => [
        ...lots(of, (d) => d.IsWon).map((lot) => ({ IsClosed: key, IsWon: lot.key, s: total(lot.of) })),
        { IsClosed: key, IsWon: null, s: total(of) },
      ]),
      ...lots(org.Opportunity, (d) => d.IsWon).map(({ key, of }) => ({
        IsClosed: null,
        IsWon: key,
        s: total(of),
      })),
      { IsClosed: null, IsWon: null, s: total(org.Opportunity) },
    ],
  },
  {
    soql: 'SELECT Type, GROUPING(Type) g, COUNT(Id) n FROM Opportunity GROUP BY ROLLUP(Type)',
    is: (org) => [
      ...lots(org.Opportunity, (d) => d.Type).map(({ key, of }) => ({ Type: key, g: 0, n: of.length })),
      { Type: null, g: 1, n: org.Opportunity.length },
    ],
  },
  {
    soql: 'SELECT Status, GROUPING(Status) gs, GROUPING(Origin) go, Origin, COUNT(Id) n FROM Case GROUP BY CUBE(Status, Origin) HAVING COUNT(Id) > 3',
    is: (org) =>
      [
        ...byStatus(org.Case).flatMap(({ key, of }) => [
          ...lots(of, (c) => c.Origin).map((lot) => ({
            Status: key,
            gs: 0,
            go: 0,
            Origin: lot.key,
            n: lot.of.length,
          })),
          { Status: key, gs: 0, go: 1, Origin: null, n: of.length },
        ]),
        ...lots(org.Case, (c) => c.Origin).map(({ key, of }) => ({
          Status: null,
          gs: 1,
          go: 0,
          Origin: key,
          n: of.length,
        })),
        { Status: null, gs: 1, go: 1, Origin: null, n: org.Case.length },
      ].filter(({ n }) => n > 3),
  },
  {
    soql: 'SELECT OwnerId, Owner.Name, COUNT(Id) n FROM Account GROUP BY OwnerId, Owner.Name',
    is: (org) =>
      lots(org.Account, (a) => a.Owner).map(({ key, of }) => ({
        OwnerId: key.Id,
        Name: key.Name,
        n: of.length,
      })),
  },
  {
    soql: 'SELECT Account.Type t, COUNT_DISTINCT(Department) d FROM Contact WHERE Account.Type != null GROUP BY Account.Type',
    is: (org) =>
      lots(
        org.Contact.filter((c) => c.Account?.Type),
        (c) => c.Account?.Type,
      ).map(({ key, of }) => ({
        t: key,
        d: different(of.map((c) => c.Department)),
      })),
  },
  {
    soql: 'SELECT CloseDate, COUNT(Id) FROM Opportunity WHERE CloseDate < 2026-01-01 GROUP BY CloseDate',
    is: (org) =>
      lots(
        org.Opportunity.filter((d) => d.CloseDate < '2026-01-01'),
        (d) => d.CloseDate,
      ).map(({ key, of }) => ({
        CloseDate: key,
        expr0: of.length,
      })),
  },
  {
    soql: 'SELECT StageName, MAX(CloseDate) FROM Opportunity GROUP BY StageName HAVING MAX(CloseDate) > 2026-06-30',
    is: (org) =>
      lots(org.Opportunity, (d) => d.StageName)
        .map(({ key, of }) => ({ StageName: key, expr0: most(of.map((d) => d.CloseDate)) }))
        .filter(({ expr0 }) => (expr0 ?? '') > '2026-06-30'),
  },
  {
    soql: "SELECT COUNT(Id) n FROM Case WHERE Contact.Account.Owner.Alias = 'lucia' AND Owner.Type = 'Queue'",
    is: (org) => [
      {
        n: org.Case.filter(
          (c) => c.Contact?.Account?.Owner === org.people.lucia && 'DeveloperName' in c.Owner,
        ).length,
      },
    ],
  },
  {
    soql: 'SELECT Name, COUNT(Id) FROM Contact GROUP BY Name ORDER BY Name LIMIT 2',
    is: (org) =>
      sorted(
        org.Contact,
        up((c) => c.Name),
      )
        .slice(0, 2)
        .map((c) => ({ ...pick(c, 'Name'), expr0: 1 })),
  },
]
