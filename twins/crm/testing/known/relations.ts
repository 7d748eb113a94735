import type { Known } from './known.ts'
import { down, pick, same, sorted, up } from './meaning.ts'
import type { Account, Case, Contact, Opportunity, Queue, User } from './records.ts'

const isQueue = (owner: User | Queue): owner is Queue => 'DeveloperName' in owner
const kindOf = (what: object): string =>
  'CaseNumber' in what ? 'Case' : 'StageName' in what ? 'Opportunity' : 'Account'
const nothingIfNone = <T>(children: readonly T[]): readonly T[] | null =>
  children.length === 0 ? null : children
const named = (record: { readonly Name: string } | null) => record && { Name: record.Name }
const contactsOf = (all: readonly Contact[], account: Account) => all.filter((c) => c.Account === account)
const dealsOf = (all: readonly Opportunity[], account: Account) => all.filter((d) => d.Account === account)
const casesOf = (all: readonly Case[], account: Account) => all.filter((c) => c.Account === account)

/** Parents, children, joins in conditions, and owners and subjects of more than one kind. */
export const relations: readonly Known[] = [
  {
    soql: 'SELECT Name, Account.Name FROM Contact',
    is: (org) => org.Contact.map((c) => ({ Name: c.Name, Account: named(c.Account) })),
  },
  {
    soql: "SELECT Name, Account.Owner.Alias FROM Contact WHERE Account.Owner.Alias = 'LUCIA'",
    is: (org) =>
      org.Contact.filter((c) => same(c.Account?.Owner.Alias, 'lucia')).map((c) => ({
        Name: c.Name,
        Account: c.Account && { Owner: { Alias: c.Account.Owner.Alias } },
      })),
  },
  {
    soql: 'SELECT Name, Account.Parent.Parent.Parent.Parent.Name FROM Contact',
    is: (org) =>
      org.Contact.map((c) => ({
        Name: c.Name,
        Account: c.Account && {
          Parent: c.Account.Parent && {
            Parent: c.Account.Parent.Parent && {
              Parent: c.Account.Parent.Parent.Parent && {
                Parent: named(c.Account.Parent.Parent.Parent.Parent),
              },
            },
          },
        },
      })),
  },
  {
    soql: "SELECT Name FROM Contact WHERE Account.Parent.Parent.Parent.Parent.Name = 'Zeta Holding'",
    is: (org) =>
      org.Contact.filter((c) => c.Account?.Parent?.Parent?.Parent?.Parent === org.accounts.zeta).map((c) =>
        pick(c, 'Name'),
      ),
  },
  {
    soql: "SELECT Name FROM Account WHERE Parent.Name = 'Acme Foods'",
    is: (org) => org.Account.filter((a) => a.Parent === org.accounts.acme).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account WHERE Parent.Name = null',
    is: (org) => org.Account.filter((a) => a.Parent === null).map((a) => pick(a, 'Name')),
  },
  {
    soql: "SELECT Name FROM Contact WHERE Account.Industry != 'Energy'",
    is: (org) => org.Contact.filter((c) => c.Account?.Industry !== 'Energy').map((c) => pick(c, 'Name')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE Contact.LastName = null',
    is: (org) => org.Case.filter((c) => c.Contact === null).map((c) => pick(c, 'CaseNumber')),
  },
  {
    soql: 'SELECT CaseNumber FROM Case WHERE Contact.Account.NumberOfEmployees > 100 AND Contact.Email != null',
    is: (org) =>
      org.Case.filter((c) => (c.Contact?.Account?.NumberOfEmployees ?? 0) > 100).map((c) =>
        pick(c, 'CaseNumber'),
      ),
  },
  {
    soql: 'SELECT Name, ReportsTo.ReportsTo.ReportsTo.Name FROM Contact WHERE ReportsToId != null',
    is: (org) =>
      org.Contact.filter((c) => c.ReportsTo !== null).map((c) => ({
        Name: c.Name,
        ReportsTo: {
          ReportsTo: c.ReportsTo?.ReportsTo ? { ReportsTo: named(c.ReportsTo.ReportsTo.ReportsTo) } : null,
        },
      })),
  },
  {
    soql: "SELECT c.Name, c.Account.Name FROM Contact c WHERE c.Account.Name LIKE 'delta%'",
    is: (org) =>
      contactsOf(org.Contact, org.accounts.delta).map((c) => ({ Name: c.Name, Account: named(c.Account) })),
  },
  {
    soql: "SELECT Contact.Name FROM Contact WHERE Contact.LastName = 'Lee'",
    is: (org) => org.Contact.filter((c) => c.LastName === 'Lee').map((c) => pick(c, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Contact ORDER BY Account.Name NULLS LAST, LastName',
    is: (org) =>
      sorted(
        org.Contact,
        up((c) => c.Account?.Name ?? null, 'last'),
        up((c) => c.LastName),
      ).map((c) => pick(c, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Contact ORDER BY Account.Parent.Name DESC, Name DESC',
    is: (org) =>
      sorted(
        org.Contact,
        down((c) => c.Account?.Parent?.Name ?? null),
        down((c) => c.Name),
      ).map((c) => pick(c, 'Name')),
  },
  {
    soql: 'SELECT Name, (SELECT LastName FROM Contacts ORDER BY LastName) FROM Account',
    is: (org) =>
      org.Account.map((a) => ({
        Name: a.Name,
        Contacts: nothingIfNone(
          sorted(
            contactsOf(org.Contact, a),
            up((c) => c.LastName),
          ).map((c) => pick(c, 'LastName')),
        ),
      })),
  },
  {
    soql: 'SELECT Name, (SELECT Name, Amount FROM Opportunities WHERE Amount > 5000 ORDER BY Amount DESC LIMIT 1) FROM Account ORDER BY Name',
    is: (org) =>
      sorted(
        org.Account,
        up((a) => a.Name),
      ).map((a) => ({
        Name: a.Name,
        Opportunities: nothingIfNone(
          sorted(
            dealsOf(org.Opportunity, a).filter((d) => (d.Amount ?? 0) > 5_000),
            down((d) => d.Amount),
          )
            .slice(0, 1)
            .map((d) => pick(d, 'Name', 'Amount')),
        ),
      })),
  },
  {
    soql: "SELECT Name, (SELECT Name FROM Opportunities ORDER BY CloseDate LIMIT 1 OFFSET 1) FROM Account WHERE Name LIKE 'Acme Foods'",
    is: (org) => [
      {
        Name: 'Acme Foods',
        Opportunities: sorted(
          dealsOf(org.Opportunity, org.accounts.acme),
          up((d) => d.CloseDate),
        )
          .slice(1, 2)
          .map((d) => pick(d, 'Name')),
      },
    ],
  },
  {
    soql: 'SELECT Name, (SELECT Name FROM ChildAccounts), (SELECT Name FROM Contacts ORDER BY Name) FROM Account WHERE ParentId != null',
    is: (org) =>
      org.Account.filter((a) => a.Parent !== null).map((a) => ({
        Name: a.Name,
        ChildAccounts: nothingIfNone(org.Account.filter((b) => b.Parent === a).map((b) => pick(b, 'Name'))),
        Contacts: nothingIfNone(
          sorted(
            contactsOf(org.Contact, a),
            up((c) => c.Name),
          ).map((c) => pick(c, 'Name')),
        ),
      })),
  },
  {
    soql: "SELECT Name, (SELECT LastName, (SELECT CaseNumber FROM Cases ORDER BY CaseNumber) FROM Contacts ORDER BY LastName) FROM Account WHERE Name = 'Acme Foods'",
    is: (org) => [
      {
        Name: 'Acme Foods',
        Contacts: sorted(
          contactsOf(org.Contact, org.accounts.acme),
          up((c) => c.LastName),
        ).map((contact) => ({
          LastName: contact.LastName,
          Cases: nothingIfNone(
            sorted(
              org.Case.filter((c) => c.Contact === contact),
              up((c) => c.CaseNumber),
            ).map((c) => pick(c, 'CaseNumber')),
          ),
        })),
      },
    ],
  },
  {
    soql: "SELECT Name, (SELECT CaseNumber, Contact.Account.Name FROM Cases WHERE IsClosed = true ORDER BY CaseNumber DESC) FROM Account WHERE Name LIKE '%o%' ORDER BY Name",
    is: (org) =>
      sorted(
        org.Account.filter((a) => /o/i.test(a.Name)),
        up((a) => a.Name),
      ).map((a) => ({
        Name: a.Name,
        Cases: nothingIfNone(
          sorted(
            casesOf(org.Case, a).filter((c) => c.IsClosed),
            down((c) => c.CaseNumber),
          ).map((c) => ({
            CaseNumber: c.CaseNumber,
            Contact: c.Contact && { Account: named(c.Contact.Account) },
          })),
        ),
      })),
  },
  {
    soql: 'SELECT Name, (SELECT Name, Topics__c FROM Visits__r ORDER BY Name DESC) FROM Account WHERE Id IN (SELECT Account__c FROM Visit__c)',
    is: (org) =>
      org.Account.filter((a) => org.Visit.some((v) => v.Account__r === a)).map((a) => ({
        Name: a.Name,
        Visits__r: sorted(
          org.Visit.filter((v) => v.Account__r === a),
          down((v) => v.Name),
        ).map((v) => pick(v, 'Name', 'Topics__c')),
      })),
  },
  {
    soql: "SELECT Name, Account__r.Owner.Name FROM Visit__c WHERE Account__r.Region__c = 'midwest'",
    is: (org) =>
      org.Visit.filter((v) => same(v.Account__r.Region__c, 'Midwest')).map((v) => ({
        Name: v.Name,
        Account__r: { Owner: named(v.Account__r.Owner) },
      })),
  },
  {
    soql: 'SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Opportunity)',
    is: (org) =>
      org.Account.filter((a) => dealsOf(org.Opportunity, a).length > 0).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account WHERE Id NOT IN (SELECT AccountId FROM Opportunity)',
    is: (org) =>
      org.Account.filter((a) => dealsOf(org.Opportunity, a).length === 0).map((a) => pick(a, 'Name')),
  },
  {
    soql: "SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Opportunity WHERE StageName = 'closed won' AND Amount > 1000)",
    is: (org) =>
      org.Account.filter((a) =>
        dealsOf(org.Opportunity, a).some((d) => d.IsWon && (d.Amount ?? 0) > 1_000),
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Account WHERE Id NOT IN (SELECT AccountId FROM Case WHERE IsClosed = false) AND Id IN (SELECT AccountId FROM Contact)',
    is: (org) =>
      org.Account.filter(
        (a) => casesOf(org.Case, a).every((c) => c.IsClosed) && contactsOf(org.Contact, a).length > 0,
      ).map((a) => pick(a, 'Name')),
  },
  {
    soql: "SELECT Name FROM Contact WHERE AccountId IN (SELECT Id FROM Account WHERE Type LIKE 'Customer%')",
    is: (org) =>
      org.Contact.filter((c) => /^customer/i.test(c.Account?.Type ?? '')).map((c) => pick(c, 'Name')),
  },
  {
    soql: "SELECT Name FROM Contact WHERE Id IN (SELECT ContactId FROM Case WHERE Account.Owner.Alias = 'lucia')",
    is: (org) =>
      org.Contact.filter((contact) =>
        org.Case.some((c) => c.Contact === contact && c.Account?.Owner === org.people.lucia),
      ).map((c) => pick(c, 'Name')),
  },
  {
    soql: 'SELECT Name FROM Opportunity WHERE AccountId = null',
    is: (org) => org.Opportunity.filter((d) => d.Account === null).map((d) => pick(d, 'Name')),
  },
  {
    soql: "SELECT Name FROM Opportunity WHERE Campaign.Name = 'Spring fair' AND Account.Name LIKE 'a%'",
    is: (org) =>
      org.Opportunity.filter(
        (d) => d.Campaign?.Name === 'Spring fair' && /^a/i.test(d.Account?.Name ?? ''),
      ).map((d) => pick(d, 'Name')),
  },
  {
    soql: "SELECT CaseNumber, Owner.Name, Owner.Type FROM Case WHERE Owner.Type = 'Queue'",
    is: (org) =>
      org.Case.filter((c) => isQueue(c.Owner)).map((c) => ({
        CaseNumber: c.CaseNumber,
        Owner: { Name: 'Support Queue', Type: 'Queue' },
      })),
  },
  {
    soql: "SELECT CaseNumber, Owner.Name FROM Case WHERE Owner.Type = 'User' AND Owner.Name LIKE 'mira%'",
    is: (org) =>
      org.Case.filter((c) => c.Owner === org.people.mira).map((c) => ({
        CaseNumber: c.CaseNumber,
        Owner: named(c.Owner),
      })),
  },
  {
    soql: 'SELECT Name, TYPEOF Owner WHEN User THEN Alias, Email WHEN Group THEN DeveloperName END FROM Lead',
    is: (org) =>
      org.Lead.map((l) => ({
        Name: l.Name,
        Owner: isQueue(l.Owner) ? pick(l.Owner, 'DeveloperName') : pick(l.Owner, 'Alias', 'Email'),
      })),
  },
  {
    soql: 'SELECT Subject, TYPEOF What WHEN Account THEN Phone, NumberOfEmployees WHEN Opportunity THEN Amount, CloseDate ELSE Name END FROM Task',
    is: (org) =>
      org.Task.map((t) => ({
        Subject: t.Subject,
        What:
          t.What === null
            ? null
            : 'StageName' in t.What
              ? pick(t.What, 'Amount', 'CloseDate')
              : 'CaseNumber' in t.What
                ? { Name: t.What.CaseNumber }
                : pick(t.What, 'Phone', 'NumberOfEmployees'),
      })),
  },
  {
    soql: 'SELECT Subject, What.Type, Who.Type FROM Task',
    is: (org) =>
      org.Task.map((t) => ({
        Subject: t.Subject,
        What: t.What && { Type: kindOf(t.What) },
        Who: t.Who && { Type: 'Company' in t.Who ? 'Lead' : 'Contact' },
      })),
  },
  {
    soql: "SELECT Subject FROM Task WHERE What.Type IN ('Account', 'Opportunity')",
    is: (org) => org.Task.filter((t) => t.What && kindOf(t.What) !== 'Case').map((t) => pick(t, 'Subject')),
  },
  {
    soql: "SELECT Subject, Who.Name, Who.FirstName FROM Task WHERE Who.LastName = 'holm'",
    is: (org) =>
      org.Task.filter((t) => same(t.Who?.LastName, 'Holm')).map((t) => ({
        Subject: t.Subject,
        Who: t.Who && { Name: t.Who.Name, FirstName: t.Who.FirstName },
      })),
  },
  {
    soql: 'SELECT Subject FROM Task WHERE WhoId = null AND WhatId != null',
    is: (org) => org.Task.filter((t) => t.Who === null && t.What !== null).map((t) => pick(t, 'Subject')),
  },
  {
    soql: "SELECT Name, (SELECT Subject, Status FROM Tasks) FROM Contact WHERE LastName != 'Lee'",
    is: (org) =>
      org.Contact.filter((c) => c.LastName !== 'Lee').map((c) => ({
        Name: c.Name,
        Tasks: nothingIfNone(org.Task.filter((t) => t.Who === c).map((t) => pick(t, 'Subject', 'Status'))),
      })),
  },
  {
    soql: 'SELECT CommentBody, Parent.CaseNumber, Parent.Contact.Name FROM CaseComment WHERE Parent.IsClosed = false',
    is: (org) =>
      org.CaseComment.filter((one) => !one.Parent.IsClosed).map((one) => ({
        CommentBody: one.CommentBody,
        Parent: { CaseNumber: one.Parent.CaseNumber, Contact: named(one.Parent.Contact) },
      })),
  },
  {
    soql: 'SELECT CaseNumber, (SELECT CommentBody FROM CaseComments) FROM Case WHERE Id IN (SELECT ParentId FROM CaseComment WHERE IsPublished = true)',
    is: (org) =>
      org.CaseComment.filter((one) => one.IsPublished).map((one) => ({
        CaseNumber: one.Parent.CaseNumber,
        CaseComments: [{ CommentBody: one.CommentBody }],
      })),
  },
  {
    soql: "SELECT Name FROM Account WHERE Owner.TimeZoneSidKey = 'America/New_York'",
    is: (org) => org.Account.filter((a) => a.Owner === org.people.lucia).map((a) => pick(a, 'Name')),
  },
]
