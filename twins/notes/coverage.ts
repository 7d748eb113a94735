import type { Coverage } from '../kernel/twin.ts'
import { operations } from './operations/index.ts'

export const coverage: readonly Coverage[] = [
  ...Object.keys(operations).map((name) => ({ operation: name, status: 'done' as const })),
  { operation: 'share', status: 'not emulated' },
]
