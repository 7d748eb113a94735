import { changed, found, idOf, made, type Organization, read, type VendorRule } from './rule.ts'

const event = { Subject: 'Visit', StartDateTime: '2026-03-10T09:00:00Z' }
const task = (organization: Organization) =>
  idOf(organization, "SELECT Id FROM Task WHERE Subject = 'Send quote'")

export const workingRules: readonly VendorRule[] = [
  {
    object: 'Case',
    rule: 'closing records the moment, reopening removes it',
    evidence: 'object reference',
    when: (org) => {
      changed(org, 'Case', org.key('leak'), { Status: 'Closed' })
      return changed(org, 'Case', org.key('leak'), { Status: 'Working' })
    },
    is: { IsClosed: false, ClosedDate: null },
  },
  {
    object: 'Case',
    rule: 'the account follows from the contact unless it is given',
    evidence: 'object reference',
    when: (org) => {
      const { status, body } = made(org, 'Case', { ContactId: org.key('tom') })
      return { status, body: { same: body.AccountId === org.key('delta') } }
    },
    is: { same: true },
  },
  {
    object: 'Case',
    rule: 'closed, closed date and number are read-only',
    evidence: 'object reference',
    when: (org) => changed(org, 'Case', org.key('leak'), { IsClosed: true, CaseNumber: '1' }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'CaseComment',
    rule: 'the case of a comment cannot be changed',
    evidence: 'object reference',
    when: (org) =>
      changed(org, 'CaseComment', idOf(org, 'SELECT Id FROM CaseComment'), { ParentId: org.key('login') }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'Task',
    rule: 'a task with a lead is related to nothing else',
    evidence: 'object reference',
    when: (org) => made(org, 'Task', { WhoId: org.key('lars'), WhatId: org.key('acme') }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Task',
    rule: 'completing a task records the moment',
    evidence: 'object reference',
    when: (org) => changed(org, 'Task', task(org), { Status: 'Completed' }),
    is: { IsClosed: true, CompletedDateTime: '2026-03-02T09:00:00.000+0000' },
  },
  {
    object: 'Task',
    rule: 'a task that is opened again has no moment of completion',
    evidence: 'object reference',
    when: (org) => {
      changed(org, 'Task', task(org), { Status: 'Completed' })
      return changed(org, 'Task', task(org), { Status: 'In Progress' })
    },
    is: { IsClosed: false, CompletedDateTime: null },
  },
  {
    object: 'Task',
    rule: 'about a case, the account is that of the contact',
    evidence: 'object reference',
    when: (org) => made(org, 'Task', { WhatId: org.key('leak') }),
    is: { AccountId: null },
  },
  {
    object: 'Task',
    rule: 'a recurring task says when it begins, ends and how it recurs',
    evidence: 'object reference',
    when: (org) => made(org, 'Task', { Subject: 'Weekly', IsRecurrence: true }),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'Task',
    rule: 'the subtype of a task does not change',
    evidence: 'object reference',
    when: (org) => changed(org, 'Task', task(org), { TaskSubtype: 'Call' }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Event',
    rule: 'duration and end agree when both are given',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'Event', { ...event, DurationInMinutes: 30, EndDateTime: '2026-03-10T10:00:00Z' }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Event',
    rule: 'the end follows from the duration',
    evidence: 'object reference',
    when: (org) => made(org, 'Event', { ...event, DurationInMinutes: 30 }),
    is: { EndDateTime: '2026-03-10T09:30:00.000+0000' },
  },
  {
    object: 'Event',
    rule: 'an event that is not for the whole day has a duration or an end',
    evidence: 'object reference',
    when: (org) => made(org, 'Event', event),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'Event',
    rule: 'an event takes at most 14 days',
    evidence: 'object reference',
    when: (org) => made(org, 'Event', { ...event, DurationInMinutes: 15 * 1_440 }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Event',
    rule: 'both names of the start say the same',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'Event', { ...event, ActivityDateTime: '2026-03-11T09:00:00Z', DurationInMinutes: 30 }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Event',
    rule: 'an event with a lead is related to nothing else',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'Event', {
        ...event,
        DurationInMinutes: 30,
        WhoId: org.key('lars'),
        WhatId: org.key('acme'),
      }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'EmailMessage',
    rule: 'only drafts can be edited',
    evidence: 'object reference',
    when: (org) => {
      const id = org.create('EmailMessage', { ParentId: org.key('leak'), Subject: 'Hi', Status: '3' })
      return changed(org, 'EmailMessage', id, { Subject: 'Bye' })
    },
    is: 'INSUFFICIENT_ACCESS_OR_READONLY',
  },
  {
    object: 'EmailMessage',
    rule: 'a draft can be edited',
    evidence: 'object reference',
    when: (org) => {
      const id = org.create('EmailMessage', { ParentId: org.key('leak'), Subject: 'Hi', Status: '5' })
      return changed(org, 'EmailMessage', id, { Subject: 'Bye' })
    },
    is: { Subject: 'Bye' },
  },
  {
    object: 'Attachment',
    rule: 'an attachment has a body',
    evidence: 'object reference',
    when: (org) => made(org, 'Attachment', { ParentId: org.key('leak'), Name: 'photo.png' }),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'Note',
    rule: 'the record that a note belongs to does not change',
    evidence: 'object reference',
    when: (org) => {
      const id = org.create('Note', { ParentId: org.key('acme'), Title: 'Visit' })
      return changed(org, 'Note', id, { ParentId: org.key('delta') })
    },
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'Organization',
    rule: 'histories cannot be written',
    evidence: 'object reference',
    when: (org) => made(org, 'CaseHistory', { CaseId: org.key('leak'), Field: 'Status' }),
    is: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
  },
  {
    object: 'Organization',
    rule: 'the organization can be read',
    evidence: 'object reference',
    when: (org) => read(org, 'Organization', String(found(org, 'SELECT Id FROM Organization')[0]?.Id)),
    is: { OrganizationType: 'Enterprise Edition' },
  },
]
