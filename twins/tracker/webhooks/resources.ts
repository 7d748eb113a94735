/** Records of which every change is sent. */
export const dataTypes: ReadonlySet<string> = new Set([
  'Attachment',
  'Comment',
  'Customer',
  'CustomerNeed',
  'Cycle',
  'Document',
  'Initiative',
  'InitiativeUpdate',
  'Issue',
  'IssueLabel',
  'Project',
  'ProjectLabel',
  'ProjectUpdate',
  'Reaction',
  'User',
])

/** Everything that a webhook can be about, in the order in which a refusal lists it. */
export const resources: readonly string[] = [
  ...dataTypes,
  'AgentSessionEvent',
  'AppUserNotification',
  'AuditEntry',
  'IssueRelation',
  'IssueSLA',
  'OAuthApp',
  'OAuthAuthorization',
  'PermissionChange',
  'ProjectMilestone',
  'Release',
  'ReleaseNote',
  'Team',
  'WorkflowState',
].toSorted()
