import type { Coverage } from '@diorama/twin-kit/kernel/twin'
import { operations } from './operations/index.ts'

export const coverage: readonly Coverage[] = [
  ...Object.keys(operations).map((name) => ({
    operation: name,
    status: 'done' as const,
    evidence: 'chosen' as const,
  })),
  { operation: 'what is neither specified nor recorded', status: 'not emulated' },
]
