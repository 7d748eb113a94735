import { agentChatRoutes } from './agent-chat.ts'
import { agentRunRoutes } from './agent-runs.ts'
import { agentSecretRoutes } from './agent-secrets.ts'
import { agentRoutes } from './agents.ts'
import { builtinScorerRoutes } from './builtin-scorers.ts'
import { calibrationRoutes } from './calibrations.ts'
import { cassetteRoutes } from './cassettes.ts'
import { datasetRoutes } from './datasets.ts'
import { deliveryRoutes } from './deliveries.ts'
import { evaluationSummaryRoutes } from './evaluation-summaries.ts'
import { evaluationRoutes } from './evaluations.ts'
import { exportRoutes } from './exports.ts'
import { healthRoutes } from './health.ts'
import { modelCallRoutes } from './model-calls.ts'
import { modelProviderRoutes } from './model-providers.ts'
import { organizationRoutes } from './organizations.ts'
import { sampleRoutes } from './samples.ts'
import { scorerRoutes, scorerTestRoutes } from './scorers.ts'
import { suiteExchangeRoutes } from './suite-exchange.ts'
import { suiteProofRoutes } from './suite-proof.ts'
import { suiteRoutes } from './suites.ts'
import { telemetryRoutes } from './telemetry.ts'
import { traceExportRoutes } from './trace-export.ts'
import { traceTaskRoutes } from './trace-tasks.ts'
import { twinRoutes } from './twins.ts'
import { worldClientRoutes } from './world-clients.ts'
import { clockRoutes } from './world-clock.ts'
import { worldRoutes } from './worlds.ts'

/** Every operation of the service, by name. */
export const allRoutes = {
  ...healthRoutes,
  ...organizationRoutes,
  ...worldRoutes,
  ...sampleRoutes,
  ...clockRoutes,
  ...worldClientRoutes,
  ...twinRoutes,
  ...datasetRoutes,
  ...deliveryRoutes,
  ...telemetryRoutes,
  ...agentRoutes,
  ...agentRunRoutes,
  ...agentChatRoutes,
  ...agentSecretRoutes,
  ...suiteRoutes,
  ...scorerRoutes,
  ...scorerTestRoutes,
  ...calibrationRoutes,
  ...builtinScorerRoutes,
  ...suiteProofRoutes,
  ...suiteExchangeRoutes,
  ...traceTaskRoutes,
  ...evaluationRoutes,
  ...evaluationSummaryRoutes,
  ...exportRoutes,
  ...traceExportRoutes,
  ...modelProviderRoutes,
  ...modelCallRoutes,
  ...cassetteRoutes,
}
export type Routes = typeof allRoutes
export type RouteName = keyof Routes
