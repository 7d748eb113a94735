import type { Coverage } from '@diorama/twin-kit/kernel/twin'
import { operations } from './operations/index.ts'

export const coverage: readonly Coverage[] = [
  ...Object.keys(operations).map((name) => ({ operation: name, status: 'done' as const })),
  { operation: 'share', status: 'not emulated' },
]
