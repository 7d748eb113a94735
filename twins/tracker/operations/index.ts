import { attachmentOperations } from './attachments.ts'
import { commentOperations } from './comments.ts'
import type { Operations } from './crud.ts'
import { customerOperations } from './customers.ts'
import { issueLifecycle } from './issue-lifecycle.ts'
import { issueOperations } from './issues.ts'
import { kindOperations } from './kinds.ts'
import { labelOperations } from './labels.ts'
import { notificationOperations } from './notifications.ts'
import { projectOperations } from './projects.ts'
import { queries } from './queries.ts'
import { searchOperations } from './search.ts'
import { teamOperations } from './teams.ts'
import { workspaceOperations } from './workspace.ts'

/** Everything that a caller can do, under the names that the API has for it. */
export const operations: Operations = {
  ...queries,
  ...workspaceOperations,
  ...searchOperations,
  ...issueOperations,
  ...issueLifecycle,
  ...commentOperations,
  ...attachmentOperations,
  ...projectOperations,
  ...teamOperations,
  ...notificationOperations,
  ...kindOperations,
  ...labelOperations,
  ...customerOperations,
}
