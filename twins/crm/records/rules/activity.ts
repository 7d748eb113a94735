import type { Row } from '@diorama/twin-kit/kernel/table'
import { dayText, nativeSecond, readMoment } from '../../dates.ts'
import { prefixOf } from '../../ids.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import { integrity, refuse, requiredMissing } from '../refusals.ts'
import type { Rules } from '../rule.ts'
import { type Draft, num, str, type Writing } from '../writing.ts'

/** Objects that give an activity about them its account: themselves, or the account that they belong to. */
const accountGivers = ['Account', 'Opportunity', 'Contract', 'Order', 'Asset']

const accountOf = (writing: Writing, draft: Draft): string | null => {
  const about = writing.org.lookup(str(draft, 'WhatId') ?? '')
  if (about?.object.name === 'Account') return String(about.row.Id)
  if (about && (accountGivers.includes(about.object.name) || about.object.custom)) {
    const account = about.object.custom
      ? accountOfCustom(about.object, about.row)
      : str(about.row, 'AccountId')
    if (account !== undefined) return account
  }
  const who = writing.org.lookup(str(draft, 'WhoId') ?? '')
  return str(who?.row, 'AccountId') ?? null
}

/** A custom record's account, where the record is a child of one. */
const accountOfCustom = (object: ObjectSchema, row: Row): string | undefined => {
  const field = object.fields.find(({ referenceTo }) => referenceTo.includes('Account'))
  return field && str(row, field.name)
}

/** Leads have no accounts or deals yet, so an activity with a lead is about nothing else. */
const checkAbout = (draft: Draft): void => {
  if (prefixOf(str(draft, 'WhoId') ?? '') === '00Q' && str(draft, 'WhatId') !== undefined)
    throw integrity('An activity with a lead cannot be related to another record.: Related To ID', ['WhatId'])
}

export const task: Rules = {
  derive: ({ writing, before, draft, given }) => {
    checkAbout(draft)
    checkRecurrence(draft, before, given)
    if (before && given.TaskSubtype !== undefined && given.TaskSubtype !== (before.TaskSubtype ?? null))
      throw integrity('The subtype of a task cannot be changed.: Task Subtype', ['TaskSubtype'])
    const status = str(draft, 'Status')
    draft.IsClosed = false
    for (const row of writing.table('TaskStatus').all())
      if (row.ApiName === status) draft.IsClosed = row.IsClosed === true
    draft.AccountId = accountOf(writing, draft)
    if (draft.IsClosed !== (before?.IsClosed === true))
      draft.CompletedDateTime = draft.IsClosed === true ? writing.stamp : null
    draft.TaskSubtype ??= 'Task'
  },
}

/** What a series of tasks must say besides that it is one. */
const checkRecurrence = (draft: Draft, before: Row | undefined, given: Draft): void => {
  if (before && given.IsRecurrence !== undefined && given.IsRecurrence !== (before.IsRecurrence === true))
    throw integrity(
      'Whether a task recurs is decided when it is created.: Create Recurring Series of Tasks',
      ['IsRecurrence'],
    )
  if (draft.IsRecurrence !== true) return
  const missing = ['RecurrenceStartDateOnly', 'RecurrenceEndDateOnly', 'RecurrenceType'].filter(
    (name) => str(draft, name) === undefined && str(draft, 'RecurrenceRegeneratedType') === undefined,
  )
  if (missing.length > 0) throw requiredMissing(missing)
}

const minuteMs = 60_000

export const event: Rules = {
  derive: ({ writing, before, draft, given }) => {
    checkAbout(draft)
    const [starts, due] = [str(given, 'StartDateTime'), str(given, 'ActivityDateTime')]
    if (starts !== undefined && due !== undefined && readMoment(starts) !== readMoment(due))
      throw integrity('ActivityDateTime and StartDateTime must be the same moment', [
        'ActivityDateTime',
        'StartDateTime',
      ])
    const begins =
      str(given, 'StartDateTime') ?? str(given, 'ActivityDateTime') ?? str(draft, 'StartDateTime')
    const start = begins === undefined ? undefined : readMoment(begins)
    if (draft.IsAllDayEvent === true) {
      const day = str(draft, 'ActivityDate') ?? begins?.slice(0, 10)
      if (!day)
        throw refuse('REQUIRED_FIELD_MISSING', 'Required fields are missing: [ActivityDate]', [
          'ActivityDate',
        ])
      draft.ActivityDate = day
      draft.DurationInMinutes ??= 1440
    } else {
      if (start === undefined)
        throw refuse('REQUIRED_FIELD_MISSING', 'Required fields are missing: [StartDateTime]', [
          'StartDateTime',
        ])
      const end = endOf(draft, given, start, before === undefined)
      draft.StartDateTime = nativeSecond(start)
      draft.ActivityDateTime = draft.StartDateTime
      draft.EndDateTime = nativeSecond(end)
      draft.DurationInMinutes = Math.round((end - start) / minuteMs)
      draft.ActivityDate = dayText(writing.org.zone.dayOf(start))
      draft.EndDate = dayText(writing.org.zone.dayOf(end))
    }
    draft.AccountId = accountOf(writing, draft)
    draft.EventSubtype ??= 'Event'
  },
}

const endOf = (draft: Draft, given: Draft, start: number, created: boolean): number => {
  const asked = str(given, 'EndDateTime')
  const end = asked === undefined ? undefined : readMoment(asked)
  const wanted = num(given, 'DurationInMinutes')
  if (end !== undefined && wanted !== undefined && end - start !== wanted * minuteMs)
    throw integrity('DurationInMinutes and EndDateTime do not agree', ['DurationInMinutes', 'EndDateTime'])
  const minutes = wanted ?? num(draft, 'DurationInMinutes')
  const chosen = end ?? (minutes === undefined ? undefined : start + minutes * minuteMs)
  if (chosen === undefined)
    throw refuse('REQUIRED_FIELD_MISSING', 'Required fields are missing: [DurationInMinutes, EndDateTime]', [
      'DurationInMinutes',
      'EndDateTime',
    ])
  if (chosen < start || (created && chosen - start > 14 * 86_400_000))
    throw refuse('FIELD_INTEGRITY_EXCEPTION', 'Event duration cannot be negative, nor longer than 14 days', [
      'DurationInMinutes',
    ])
  return chosen
}
