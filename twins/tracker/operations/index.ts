import { applicationOperations } from '../oauth/applications.ts'
import { oauthOperations } from '../oauth/tokens.ts'
import { activityOperations } from './agents/activities.ts'
import { sessionOperations } from './agents/sessions.ts'
import type { Operations } from './crud.ts'
import { attachmentOperations } from './issues/attachments.ts'
import { commentOperations } from './issues/comments.ts'
import { issueOperations } from './issues/issues.ts'
import { labelOperations } from './issues/labels.ts'
import { issueLifecycle } from './issues/lifecycle.ts'
import { relationOperations } from './issues/relations.ts'
import { cycleOperations } from './planning/cycles.ts'
import { initiativeOperations } from './planning/initiatives.ts'
import { projectOperations } from './planning/projects.ts'
import { queries } from './queries.ts'
import { searchOperations } from './search.ts'
import { customerOperations } from './workspace/customers.ts'
import { favoriteOperations } from './workspace/favorites.ts'
import { kindOperations } from './workspace/kinds.ts'
import { notificationOperations } from './workspace/notifications.ts'
import { teamKeyOperations } from './workspace/team-keys.ts'
import { teamOperations } from './workspace/teams.ts'
import { webhookOperations } from './workspace/webhooks.ts'
import { workspaceOperations } from './workspace/workspace.ts'

/** Everything that a caller can do, under the names that the API has for it. */
export const operations: Operations = {
  ...queries,
  ...workspaceOperations,
  ...searchOperations,
  ...issueOperations,
  ...issueLifecycle,
  ...commentOperations,
  ...attachmentOperations,
  ...relationOperations,
  ...projectOperations,
  ...cycleOperations,
  ...teamOperations,
  ...notificationOperations,
  ...kindOperations,
  ...webhookOperations,
  ...teamKeyOperations,
  ...favoriteOperations,
  ...initiativeOperations,
  ...labelOperations,
  ...customerOperations,
  ...sessionOperations,
  ...activityOperations,
  ...applicationOperations,
  ...oauthOperations,
}
