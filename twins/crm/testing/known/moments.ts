import type { Known } from './known.ts'
import { between, dayIn, pick, sorted, up, wall } from './meaning.ts'
import type { Case, Opportunity } from './records.ts'

const [berlin, newYork, kolkata] = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
const sydney = 'Australia/Sydney'

/** Cases created on days from one to another, as the calendar on somebody's wall has it. */
const created =
  (zone: string, first: string, last: string): Known['is'] =>
  (org) =>
    org.Case.filter((c) => between(dayIn(zone, c.CreatedDate), first, last)).map((c) => pick(c, 'CaseNumber'))
const cases =
  (keep: (one: Case) => boolean): Known['is'] =>
  (org) =>
    org.Case.filter(keep).map((c) => pick(c, 'CaseNumber'))
const closing =
  (first: string, last: string): Known['is'] =>
  (org) =>
    org.Opportunity.filter((d) => between(d.CloseDate, first, last)).map((d) => pick(d, 'Name'))
const deals =
  (keep: (one: Opportunity) => boolean): Known['is'] =>
  (org) =>
    org.Opportunity.filter(keep).map((d) => pick(d, 'Name'))

const byDay = (literal: string): string => `SELECT CaseNumber FROM Case WHERE CreatedDate = ${literal}`
const byClose = (literal: string): string => `SELECT Name FROM Opportunity WHERE CloseDate = ${literal}`
const ever = ['0000-01-01', '9999-12-31'] as const
/** The first day counts as 1, in weeks of seven days from the first of January. */
const dayOfYear = (day: string): number =>
  Math.round((Date.parse(day) - Date.parse(`${day.slice(0, 4)}-01-01`)) / 86_400_000) + 1

/**
 * Days and moments. Asked on Tuesday, 31 March 2026 at 23:30 in Berlin, which is 1 April, 03:00, in Kolkata and
 * 31 March, 17:30, in New York; the clocks went forward on the 29th in Berlin and on the 8th in New York.
 */
export const moments: readonly Known[] = [
  { soql: byDay('TODAY'), is: created(berlin, '2026-03-31', '2026-03-31') },
  { soql: byDay('TODAY'), as: 'dev', is: created(kolkata, '2026-04-01', '2026-04-01') },
  { soql: byDay('TODAY'), as: 'lucia', is: created(newYork, '2026-03-31', '2026-03-31') },
  { soql: byDay('YESTERDAY'), is: created(berlin, '2026-03-30', '2026-03-30') },
  { soql: byDay('YESTERDAY'), as: 'dev', is: created(kolkata, '2026-03-31', '2026-03-31') },
  { soql: byDay('YESTERDAY'), at: '2026-03-29T22:00:00Z', is: created(berlin, '2026-03-29', '2026-03-29') },
  { soql: byDay('TODAY'), at: '2026-03-29T12:00:00Z', is: created(berlin, '2026-03-29', '2026-03-29') },
  {
    soql: byDay('TODAY'),
    as: 'lucia',
    at: '2026-03-08T20:00:00Z',
    is: created(newYork, '2026-03-08', '2026-03-08'),
  },
  {
    soql: byDay('TODAY'),
    as: 'lucia',
    at: '2025-11-02T20:00:00Z',
    is: created(newYork, '2025-11-02', '2025-11-02'),
  },
  {
    soql: byDay('TODAY'),
    as: 'mira',
    at: '2025-10-26T20:00:00Z',
    is: created(berlin, '2025-10-26', '2025-10-26'),
  },
  { soql: byDay('TODAY'), at: '2025-12-31T23:30:00Z', is: created(berlin, '2026-01-01', '2026-01-01') },
  {
    soql: byDay('TODAY'),
    as: 'sid',
    at: '2025-10-05T02:00:00Z',
    is: created(sydney, '2025-10-05', '2025-10-05'),
  },
  {
    soql: byDay('YESTERDAY'),
    as: 'sid',
    at: '2025-10-05T13:30:00Z',
    is: created(sydney, '2025-10-05', '2025-10-05'),
  },
  {
    soql: byDay('LAST_MONTH'),
    as: 'sid',
    at: '2025-11-01T00:00:00Z',
    is: created(sydney, '2025-10-01', '2025-10-31'),
  },
  { soql: byDay('LAST_N_DAYS:2'), is: created(berlin, '2026-03-29', '2026-03-31') },
  { soql: byDay('LAST_N_DAYS:1'), as: 'dev', is: created(kolkata, '2026-03-31', '2026-04-01') },
  { soql: byDay('LAST_N_DAYS:0'), is: created(berlin, '2026-03-31', '2026-03-31') },
  { soql: byDay('N_DAYS_AGO:2'), is: created(berlin, '2026-03-29', '2026-03-29') },
  { soql: byDay('N_DAYS_AGO:23'), as: 'lucia', is: created(newYork, '2026-03-08', '2026-03-08') },
  { soql: byDay('LAST_90_DAYS'), is: created(berlin, '2025-12-31', '2026-03-31') },
  { soql: byDay('THIS_WEEK'), is: created(berlin, '2026-03-29', '2026-04-04') },
  { soql: byDay('LAST_WEEK'), is: created(berlin, '2026-03-22', '2026-03-28') },
  {
    soql: byDay('LAST_WEEK'),
    as: 'lucia',
    at: '2026-03-15T12:00:00Z',
    is: created(newYork, '2026-03-08', '2026-03-14'),
  },
  { soql: byDay('LAST_N_WEEKS:4'), as: 'lucia', is: created(newYork, '2026-03-01', '2026-03-28') },
  { soql: byDay('N_WEEKS_AGO:3'), as: 'lucia', is: created(newYork, '2026-03-08', '2026-03-14') },
  { soql: byDay('THIS_MONTH'), is: created(berlin, '2026-03-01', '2026-03-31') },
  { soql: byDay('THIS_MONTH'), as: 'dev', is: created(kolkata, '2026-04-01', '2026-04-30') },
  { soql: byDay('LAST_MONTH'), as: 'dev', is: created(kolkata, '2026-03-01', '2026-03-31') },
  { soql: byDay('LAST_N_MONTHS:5'), is: created(berlin, '2025-10-01', '2026-02-28') },
  { soql: byDay('N_MONTHS_AGO:5'), is: created(berlin, '2025-10-01', '2025-10-31') },
  { soql: byDay('N_MONTHS_AGO:4'), as: 'lucia', is: created(newYork, '2025-11-01', '2025-11-30') },
  { soql: byDay('THIS_QUARTER'), is: created(berlin, '2026-01-01', '2026-03-31') },
  { soql: byDay('LAST_QUARTER'), is: created(berlin, '2025-10-01', '2025-12-31') },
  { soql: byDay('LAST_QUARTER'), as: 'lucia', is: created(newYork, '2025-10-01', '2025-12-31') },
  { soql: byDay('THIS_FISCAL_QUARTER'), as: 'dev', is: created(kolkata, '2026-04-01', '2026-06-30') },
  { soql: byDay('THIS_YEAR'), is: created(berlin, '2026-01-01', '2026-12-31') },
  { soql: byDay('LAST_YEAR'), as: 'lucia', is: created(newYork, '2025-01-01', '2025-12-31') },
  { soql: byDay('LAST_FISCAL_YEAR'), is: created(berlin, '2025-01-01', '2025-12-31') },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate < THIS_WEEK',
    is: created(berlin, ever[0], '2026-03-28'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate <= LAST_WEEK',
    is: created(berlin, ever[0], '2026-03-28'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate > LAST_WEEK',
    is: created(berlin, '2026-03-29', ever[1]),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate >= YESTERDAY',
    is: created(berlin, '2026-03-30', ever[1]),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate != THIS_MONTH',
    is: cases((c) => !between(dayIn(berlin, c.CreatedDate), '2026-03-01', '2026-03-31')),
  },
  { soql: 'SELECT CaseNumber FROM Case WHERE ClosedDate != TODAY', is: cases((c) => c.ClosedDate === null) },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE ClosedDate < TOMORROW',
    is: cases((c) => c.ClosedDate !== null),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate = 2026-03-29T22:00:00Z',
    is: cases((c) => c.CreatedDate === '2026-03-29T22:00:00.000+0000'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate >= 2026-03-30T00:00:00+02:00',
    is: cases((c) => c.CreatedDate >= '2026-03-29T22:00:00.000+0000'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CreatedDate < 2026-03-08T00:00:00-05:00 AND CreatedDate > 2025-11-02T00:00:00.000-04:00',
    is: cases(
      (c) => c.CreatedDate < '2026-03-08T05:00:00.000+0000' && c.CreatedDate > '2025-11-02T04:00:00.000+0000',
    ),
  },
  { soql: byClose('TODAY'), is: closing('2026-03-31', '2026-03-31') },
  { soql: byClose('TODAY'), as: 'dev', is: closing('2026-04-01', '2026-04-01') },
  { soql: byClose('TOMORROW'), is: closing('2026-04-01', '2026-04-01') },
  { soql: byClose('THIS_WEEK'), is: closing('2026-03-29', '2026-04-04') },
  { soql: byClose('NEXT_WEEK'), at: '2026-03-28T12:00:00Z', is: closing('2026-03-29', '2026-04-04') },
  { soql: byClose('NEXT_N_DAYS:91'), is: closing('2026-04-01', '2026-06-30') },
  { soql: byClose('NEXT_90_DAYS'), is: closing('2026-04-01', '2026-06-29') },
  { soql: byClose('NEXT_N_WEEKS:13'), is: closing('2026-04-05', '2026-07-04') },
  { soql: byClose('NEXT_MONTH'), is: closing('2026-04-01', '2026-04-30') },
  { soql: byClose('NEXT_N_MONTHS:3'), is: closing('2026-04-01', '2026-06-30') },
  { soql: byClose('NEXT_MONTH'), at: '2025-12-15T12:00:00Z', is: closing('2026-01-01', '2026-01-31') },
  { soql: byClose('THIS_QUARTER'), is: closing('2026-01-01', '2026-03-31') },
  { soql: byClose('NEXT_QUARTER'), is: closing('2026-04-01', '2026-06-30') },
  { soql: byClose('NEXT_N_QUARTERS:2'), is: closing('2026-04-01', '2026-09-30') },
  { soql: byClose('LAST_N_QUARTERS:4'), is: closing('2025-01-01', '2025-12-31') },
  { soql: byClose('N_QUARTERS_AGO:4'), is: closing('2025-01-01', '2025-03-31') },
  { soql: byClose('NEXT_N_FISCAL_QUARTERS:1'), as: 'dev', is: closing('2026-07-01', '2026-09-30') },
  { soql: byClose('LAST_FISCAL_QUARTER'), is: closing('2025-10-01', '2025-12-31') },
  { soql: byClose('LAST_N_FISCAL_QUARTERS:4'), is: closing('2025-01-01', '2025-12-31') },
  { soql: byClose('THIS_FISCAL_YEAR'), is: closing('2026-01-01', '2026-12-31') },
  { soql: byClose('NEXT_YEAR'), is: closing('2027-01-01', '2027-12-31') },
  { soql: byClose('NEXT_N_YEARS:1'), is: closing('2027-01-01', '2027-12-31') },
  { soql: byClose('LAST_N_YEARS:2'), is: closing('2024-01-01', '2025-12-31') },
  { soql: byClose('N_YEARS_AGO:1'), is: closing('2025-01-01', '2025-12-31') },
  { soql: byClose('NEXT_FISCAL_YEAR'), is: closing('2027-01-01', '2027-12-31') },
  { soql: 'SELECT Name FROM Opportunity WHERE CloseDate > THIS_QUARTER', is: closing('2026-04-01', ever[1]) },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CloseDate >= NEXT_QUARTER',
    is: closing('2026-04-01', ever[1]),
  },
  { soql: 'SELECT Name FROM Opportunity WHERE CloseDate < LAST_YEAR', is: closing(ever[0], '2024-12-31') },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CloseDate = 2026-03-31',
    is: closing('2026-03-31', '2026-03-31'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CloseDate >= 2026-01-01 AND CloseDate <= 2026-04-01',
    is: closing('2026-01-01', '2026-04-01'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CloseDate IN (2026-03-31, 2025-12-31)',
    is: deals((d) => d.CloseDate === '2026-03-31' || d.CloseDate === '2025-12-31'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CloseDate IN (TODAY, TOMORROW)',
    is: closing('2026-03-31', '2026-04-01'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CALENDAR_YEAR(CloseDate) = 2025',
    is: closing('2025-01-01', '2025-12-31'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE CALENDAR_QUARTER(CloseDate) = 1',
    is: deals((d) => d.CloseDate.slice(5, 7) <= '03'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE FISCAL_QUARTER(CloseDate) = 4 AND FISCAL_YEAR(CloseDate) = 2026',
    is: closing('2026-10-01', '2026-12-31'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE FISCAL_MONTH(CloseDate) = 12',
    is: deals((d) => d.CloseDate.slice(5, 7) === '12'),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE DAY_IN_MONTH(CloseDate) >= 30',
    is: deals((d) => Number(d.CloseDate.slice(8)) >= 30),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE DAY_IN_WEEK(CloseDate) = 1',
    is: deals((d) => new Date(d.CloseDate).getUTCDay() === 0),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE DAY_IN_YEAR(CloseDate) = 90',
    is: deals((d) => dayOfYear(d.CloseDate) === 90),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE WEEK_IN_YEAR(CloseDate) = 13',
    is: deals((d) => Math.ceil(dayOfYear(d.CloseDate) / 7) === 13),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE WEEK_IN_MONTH(CloseDate) = 5',
    is: deals((d) => Number(d.CloseDate.slice(8)) > 28),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE HOUR_IN_DAY(CreatedDate) = 22',
    is: cases((c) => c.CreatedDate.slice(11, 13) === '22'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE HOUR_IN_DAY(convertTimezone(CreatedDate)) = 0',
    is: cases((c) => wall(berlin, c.CreatedDate).slice(11, 13) === '00'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE HOUR_IN_DAY(convertTimezone(CreatedDate)) = 23',
    as: 'lucia',
    is: cases((c) => wall(newYork, c.CreatedDate).slice(11, 13) === '23'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CALENDAR_YEAR(CreatedDate) = 2025',
    is: cases((c) => c.CreatedDate < '2026'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE CALENDAR_YEAR(convertTimezone(CreatedDate)) = 2025',
    is: cases((c) => dayIn(berlin, c.CreatedDate) < '2026'),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE DAY_ONLY(CreatedDate) = 2026-03-29',
    is: cases((c) => c.CreatedDate.startsWith('2026-03-29')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE DAY_ONLY(convertTimezone(CreatedDate)) > 2026-03-30',
    as: 'dev',
    is: cases((c) => dayIn(kolkata, c.CreatedDate) > '2026-03-30'),
  },
  {
    soql: 'SELECT Subject FROM Task WHERE ActivityDate = NEXT_N_DAYS:5',
    is: (org) =>
      org.Task.filter((t) => between(t.ActivityDate, '2026-04-01', '2026-04-05')).map((t) =>
        pick(t, 'Subject'),
      ),
  },
  {
    soql: 'SELECT Subject FROM Task WHERE ActivityDate <= TODAY',
    as: 'dev',
    is: (org) =>
      org.Task.filter((t) => between(t.ActivityDate, ever[0], '2026-04-01')).map((t) => pick(t, 'Subject')),
  },
  {
    soql: 'SELECT Subject FROM Task WHERE ActivityDate != TODAY',
    is: (org) => org.Task.filter((t) => t.ActivityDate !== '2026-03-31').map((t) => pick(t, 'Subject')),
  },
  {
    soql: 'SELECT Name, Birthdate FROM Contact WHERE Birthdate < 1991-07-05 ORDER BY Birthdate',
    is: (org) =>
      sorted(
        org.Contact.filter((c) => between(c.Birthdate, ever[0], '1991-07-04')),
        up((c) => c.Birthdate),
      ).map((c) => pick(c, 'Name', 'Birthdate')),
  },
  {
    soql: 'SELECT Name FROM Contact WHERE CALENDAR_MONTH(Birthdate) IN (2, 12)',
    is: (org) =>
      org.Contact.filter((c) => ['02', '12'].includes(c.Birthdate?.slice(5, 7) ?? '')).map((c) =>
        pick(c, 'Name'),
      ),
  },
]
