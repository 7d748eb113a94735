import type { OrganizationTables } from './migrations/0001-organizations.ts'
import type { WorldTables } from './migrations/0002-worlds.ts'
import type { TelemetryTables } from './migrations/0003-telemetry.ts'
import type { AgentTables } from './migrations/0004-agents.ts'
import type { SuiteTables } from './migrations/0005-suites.ts'
import type { EvaluationTables } from './migrations/0006-evaluations.ts'
import type { LedgerTables } from './migrations/0021-ledger-lanes.ts'
import type { GradingTables } from './migrations/0040-gradings.ts'
import type { SecretTables } from './migrations/0042-agent-secrets.ts'
import type { DeliveryTables } from './migrations/0050-deliveries.ts'
import type { ModelProviderTables } from './migrations/0074-model-providers.ts'

/** Every table there is; each migration brings the types of the tables it makes. */
export interface Database
  extends OrganizationTables,
    WorldTables,
    TelemetryTables,
    AgentTables,
    SuiteTables,
    EvaluationTables,
    LedgerTables,
    GradingTables,
    SecretTables,
    DeliveryTables,
    ModelProviderTables {}
