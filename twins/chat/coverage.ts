import type { Coverage } from '../kernel/twin.ts'
import { catalogue } from './catalogue.ts'
import { operations } from './operations/index.ts'

export const coverage: readonly Coverage[] = [
  ...Object.keys(operations).map((operation) => ({ operation, status: 'done' as const })),
  ...Object.keys(catalogue)
    .filter((operation) => !(operation in operations))
    .map((operation) => ({ operation, status: 'not emulated' as const })),
]
