export * from './blueprint/index.ts'
export * from './kinds.ts'
export * from './scorers.ts'
