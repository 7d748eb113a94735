import { dayText, nativeSecond, readMoment } from '../../dates.ts'
import { refuse } from '../refusals.ts'
import type { Rules } from '../rules.ts'
import { type Draft, num, str, type Writing } from '../writing.ts'

/** The account that an activity belongs to, through what it is about or else through whom it is with. */
const accountOf = (writing: Writing, draft: Draft): string | null => {
  for (const field of ['WhatId', 'WhoId']) {
    const id = str(draft, field)
    const found = id ? writing.org.lookup(id) : undefined
    if (found?.object.name === 'Account') return String(found.row.Id)
    const account = str(found?.row, 'AccountId')
    if (account) return account
  }
  return null
}

export const task: Rules = {
  derive: ({ writing, draft }) => {
    const status = str(draft, 'Status')
    draft.IsClosed = false
    for (const row of writing.table('TaskStatus').all())
      if (row.ApiName === status) draft.IsClosed = row.IsClosed === true
    draft.AccountId = accountOf(writing, draft)
    draft.TaskSubtype ??= 'Task'
  },
}

const minuteMs = 60_000

export const event: Rules = {
  derive: ({ writing, before, draft, given }) => {
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
  const minutes = num(given, 'DurationInMinutes') ?? num(draft, 'DurationInMinutes')
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
