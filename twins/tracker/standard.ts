import type { EntityRow } from './rows.ts'

/** What every team begins with. */
export const standardStates = [
  { key: 'backlog', name: 'Backlog', type: 'backlog', color: '#bec2c8' },
  { key: 'todo', name: 'Todo', type: 'unstarted', color: '#e2e2e2' },
  { key: 'in_progress', name: 'In Progress', type: 'started', color: '#f2c94c' },
  { key: 'in_review', name: 'In Review', type: 'started', color: '#0f783c' },
  { key: 'done', name: 'Done', type: 'completed', color: '#5e6ad2' },
  { key: 'canceled', name: 'Canceled', type: 'canceled', color: '#95a2b3' },
] as const

/** What a team that is created over the API begins with, as recorded from the service. */
export const newTeamStates = [
  { name: 'Backlog', type: 'backlog', color: '#bec2c8' },
  { name: 'Todo', type: 'unstarted', color: '#e2e2e2' },
  { name: 'In Progress', type: 'started', color: '#f2c94c' },
  { name: 'Done', type: 'completed', color: '#5e6ad2' },
  { name: 'Canceled', type: 'canceled', color: '#95a2b3' },
  { name: 'Duplicate', type: 'duplicate', color: '#95a2b3' },
] as const

export const standardLabels = [
  { name: 'Bug', color: '#eb5757' },
  { name: 'Feature', color: '#bb87fc' },
  { name: 'Improvement', color: '#4ea7fc' },
] as const

/** What every workspace begins with. */
export const standardProjectStatuses = [
  { name: 'Backlog', type: 'backlog', color: '#bec2c8' },
  { name: 'Planned', type: 'planned', color: '#e2e2e2' },
  { name: 'In Progress', type: 'started', color: '#f2c94c' },
  { name: 'Paused', type: 'paused', color: '#f2994a' },
  { name: 'Completed', type: 'completed', color: '#5e6ad2' },
  { name: 'Canceled', type: 'canceled', color: '#95a2b3' },
] as const

export const standardCustomerStatuses = [
  { name: 'active', displayName: 'Active', color: '#4cb782' },
  { name: 'prospect', displayName: 'Prospect', color: '#f2c94c' },
  { name: 'churned', displayName: 'Churned', color: '#eb5757' },
] as const

/** Colours of labels that nobody chose a colour for. */
export const palette = ['#5e6ad2', '#26b5ce', '#f2994a', '#4cb782', '#f7c8c1', '#95a2b3'] as const

const byType: Readonly<Record<string, string>> = {
  triage: 'backlog',
  backlog: 'backlog',
  unstarted: 'todo',
  started: 'in_progress',
  completed: 'done',
  canceled: 'canceled',
  duplicate: 'canceled',
}

/** A workflow state in the blueprint's words: by its standard name, otherwise by what kind of state it is. */
export const stateWord = (state: EntityRow | undefined): string | null =>
  state
    ? (standardStates.find(({ name }) => name === state.name)?.key ?? byType[String(state.type)] ?? null)
    : null
