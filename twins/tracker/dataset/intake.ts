import type { DatasetCompany, DatasetIntake, Report } from '@diorama/twin-kit/datasets/dataset'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { stamps } from '../seed/context.ts'
import { standardCustomerStatuses, standardProjectStatuses } from '../standard.ts'
import { uuidFrom } from '../values/uuid.ts'

/** Follows the rows of a workspace: issues need a team and a state, and numbers go on after the highest one. */
export const trackerIntake = (company: DatasetCompany): DatasetIntake => {
  const teams = new Set<string>()
  const states = new Set<string>()
  const settled = new Set<string>()
  const users: { id: string; handle: string }[] = []
  const numbers = new Map<string, number>()
  const waiting = new Map<string, { kind: 'team' | 'state'; field: string; report: Report }>()
  const counts = new Map<string, number>()
  const need = (kind: 'team' | 'state', id: unknown, field: string, report: Report) => {
    if (typeof id === 'string' && !waiting.has(`${kind} ${id}`))
      waiting.set(`${kind} ${id}`, { kind, field, report })
  }
  return {
    row: (collection, row, report) => {
      counts.set(collection, (counts.get(collection) ?? 0) + 1)
      if (collection === 'Team') teams.add(String(row.id))
      else if (collection === 'WorkflowState') states.add(String(row.id))
      else if (collection === 'UserSettings') settled.add(String(row.userId))
      else if (collection === 'User') users.push({ id: String(row.id), handle: String(row.handle) })
      else if (collection === 'Issue') {
        const team = String(row.teamId)
        numbers.set(team, Math.max(numbers.get(team) ?? 0, Number(row.number)))
        need('team', row.teamId, 'teamId', report)
        need('state', row.stateId, 'stateId', report)
      }
    },
    end: (adding) => {
      for (const [key, { kind, field, report }] of waiting)
        if (!(kind === 'team' ? teams : states).has(key.slice(kind.length + 1)))
          report(field, `names a ${kind} that is not there`)
      for (const team of teams)
        adding.insert('counter', { id: `issue ${team}`, value: numbers.get(team) ?? 0 })
      const id = (...parts: readonly string[]) =>
        uuidFrom(sha256(JSON.stringify(['tracker dataset', company.organization.slug, ...parts])))
      const at = stamps(company.clock)
      if (!counts.has('Organization'))
        adding.insert('Organization', {
          ...{ id: id('Organization'), ...at, name: company.organization.name },
          ...{ urlKey: company.organization.slug, apiOwner: users[0]?.handle ?? '' },
        })
      if (!counts.has('ProjectStatus'))
        for (const [n, status] of standardProjectStatuses.entries())
          adding.insert('ProjectStatus', {
            ...{ id: id('ProjectStatus', status.type), ...at, ...status },
            ...{ description: null, indefinite: false, position: n },
          })
      if (!counts.has('CustomerStatus'))
        for (const [n, status] of standardCustomerStatuses.entries())
          adding.insert('CustomerStatus', {
            ...{ id: id('CustomerStatus', status.name), ...at, ...status },
            ...{ description: null, position: n },
          })
      for (const user of users)
        if (!settled.has(user.id))
          adding.insert('UserSettings', { id: id('UserSettings', user.id), ...at, userId: user.id })
    },
  }
}
