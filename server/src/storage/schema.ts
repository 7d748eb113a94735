import type { AgentTables } from '../agents/tables.ts'
import type { AuthTables } from '../auth/tables.ts'
import type { BridgeTables } from '../bridges/tables.ts'
import type { DatasetTables } from '../datasets/tables.ts'
import type { DeliveryTables } from '../deliveries/tables.ts'
import type { EvaluationTables } from '../evaluations/tables.ts'
import type { HttpTables } from '../http/tables.ts'
import type { ModelTables } from '../models/tables.ts'
import type { ScorerTables } from '../scoring/tables.ts'
import type { SuiteTables } from '../suites/tables.ts'
import type { TelemetryTables } from '../telemetry/tables.ts'
import type { TwinTables } from '../twins/tables.ts'
import type { WorldTables } from '../worlds/tables.ts'
import type { StorageTables } from './tables/tables.ts'

/** Every table there is. Each noun owns the types of its tables, and its store is typed to those alone. */
export interface Database
  extends AuthTables,
    HttpTables,
    StorageTables,
    WorldTables,
    TwinTables,
    DatasetTables,
    DeliveryTables,
    TelemetryTables,
    AgentTables,
    ModelTables,
    BridgeTables,
    SuiteTables,
    ScorerTables,
    EvaluationTables {}
