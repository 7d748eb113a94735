import type { StateItem } from '@diorama/console/view-kit'

export const priorities = ['No priority', 'Urgent', 'High', 'Medium', 'Low']

export const labelsOf = (record: StateItem['record']): string[] =>
  Array.isArray(record['labels']) ? record['labels'].map(String) : []
