import type { Migration } from 'kysely/migration'
import { migration as organizations } from './0001-organizations.ts'
import { migration as worlds } from './0002-worlds.ts'
import { migration as telemetry } from './0003-telemetry.ts'
import { migration as agents } from './0004-agents.ts'
import { migration as suites } from './0005-suites.ts'
import { migration as evaluations } from './0006-evaluations.ts'
import { migration as search } from './0007-search.ts'
import { migration as trialMoves } from './0008-trial-moves.ts'
import { migration as encryptionKeys } from './0020-encryption-keys.ts'
import { migration as ledgerLanes } from './0021-ledger-lanes.ts'
import { migration as keyRateLimits } from './0024-key-rate-limits.ts'
import { migration as trialAttempts } from './0030-trial-attempts.ts'
import { migration as snapshotParts } from './0031-snapshot-parts.ts'
import { migration as gradings } from './0040-gradings.ts'
import { migration as unaskedChanges } from './0041-unasked-changes.ts'
import { migration as agentSecrets } from './0042-agent-secrets.ts'
import { migration as deliveries } from './0050-deliveries.ts'
import { migration as movingWorlds } from './0060-moving-worlds.ts'
import { migration as variants } from './0065-variants.ts'
import { migration as modelProviders } from './0074-model-providers.ts'
import { migration as modelCalls } from './0075-model-calls.ts'
import { migration as cassettes } from './0076-cassettes.ts'
import { migration as datasets } from './0080-datasets.ts'
import { migration as runSummaries } from './0085-run-summaries.ts'
import { migration as refusals } from './0086-refusals.ts'
import { migration as taskTurns } from './0087-task-turns.ts'
import { migration as crowding } from './0088-crowding.ts'
import { migration as judgeQuality } from './0090-judge-quality.ts'
import { migration as traceExport } from './0095-trace-export.ts'
import { migration as transactionOrder } from './0097-transaction-order.ts'
import { migration as traceCost } from './0098-trace-cost.ts'
import { migration as agentDependencies } from './0100-agent-dependencies.ts'
import { migration as taskMetadata } from './0101-task-metadata.ts'
import { migration as taskContainers } from './0102-task-containers.ts'
import { migration as worldLabels } from './0110-world-labels.ts'
import { migration as deliveryReferences } from './0115-delivery-references.ts'
import { migration as variantDetails } from './0116-variant-details.ts'
import { migration as dueDeliveries } from './0118-due-deliveries.ts'
import { migration as sealedTokens } from './0120-sealed-tokens.ts'
import { migration as objectStorage } from './0121-object-storage.ts'

/** In the order in which they run. A migration that was released is never changed, only followed. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-organizations': organizations,
  '0002-worlds': worlds,
  '0003-telemetry': telemetry,
  '0004-agents': agents,
  '0005-suites': suites,
  '0006-evaluations': evaluations,
  '0007-search': search,
  '0008-trial-moves': trialMoves,
  '0020-encryption-keys': encryptionKeys,
  '0021-ledger-lanes': ledgerLanes,
  '0024-key-rate-limits': keyRateLimits,
  '0030-trial-attempts': trialAttempts,
  '0031-snapshot-parts': snapshotParts,
  '0040-gradings': gradings,
  '0041-unasked-changes': unaskedChanges,
  '0042-agent-secrets': agentSecrets,
  '0050-deliveries': deliveries,
  '0060-moving-worlds': movingWorlds,
  '0065-variants': variants,
  '0074-model-providers': modelProviders,
  '0075-model-calls': modelCalls,
  '0076-cassettes': cassettes,
  '0080-datasets': datasets,
  '0085-run-summaries': runSummaries,
  '0086-refusals': refusals,
  '0087-task-turns': taskTurns,
  '0088-crowding': crowding,
  '0090-judge-quality': judgeQuality,
  '0095-trace-export': traceExport,
  '0097-transaction-order': transactionOrder,
  '0098-trace-cost': traceCost,
  '0100-agent-dependencies': agentDependencies,
  '0101-task-metadata': taskMetadata,
  '0102-task-containers': taskContainers,
  '0110-world-labels': worldLabels,
  '0115-delivery-references': deliveryReferences,
  '0116-variant-details': variantDetails,
  '0118-due-deliveries': dueDeliveries,
  '0120-sealed-tokens': sealedTokens,
  '0121-object-storage': objectStorage,
}
