import type { Operation } from '@diorama/twin-kit/kernel/twin'
import { approvalOperations } from '../approvals/process.ts'
import { oauthOperations } from '../oauth/requests.ts'
import type { SchemaIn } from '../schema/schema.ts'
import { streamingOperations } from '../streaming/platform-events.ts'
import { actionOperations } from './actions.ts'
import { jobOperations } from './jobs.ts'
import { leadOperations } from './leads.ts'
import { metadataOperations } from './metadata.ts'
import { queryOperations } from './queries.ts'
import { recordOperations } from './records.ts'
import { searchOperations } from './search.ts'
import { sessionOperations } from './sessions.ts'

/** Everything a caller can do, by the names of the vendor's resources. */
export const operations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  ...recordOperations(schemaIn),
  ...queryOperations(schemaIn),
  ...metadataOperations(schemaIn),
  ...searchOperations(schemaIn),
  ...leadOperations(schemaIn),
  ...jobOperations(schemaIn),
  ...actionOperations(schemaIn),
  ...approvalOperations(schemaIn),
  ...sessionOperations,
  ...streamingOperations,
  ...oauthOperations,
})
