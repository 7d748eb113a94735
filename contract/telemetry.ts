import { eventRoutes } from './events.ts'
import { signalRoutes } from './signals.ts'
import { traceRoutes } from './traces.ts'

export * from './events.ts'
export * from './signals.ts'
export * from './traces.ts'

export const telemetryRoutes = { ...eventRoutes, ...traceRoutes, ...signalRoutes }
