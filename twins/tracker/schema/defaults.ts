/** Default values, which type declarations cannot hold: `Type.field` of an input, or `Type.field.argument`. */
export const defaultValues: Readonly<Record<string, unknown>> = {
  'AgentActivityPromptCreateInputContent.type': 'prompt',
  'CustomView.issues.includeSubTeams': false,
  'CustomView.projects.includeSubTeams': true,
  'CustomView.updates.includeSubTeams': false,
  'CustomerCreateInput.domains': [],
  'CustomerCreateInput.externalIds': [],
  'CycleSort.currentCycleFirst': false,
  'GitAutomationTargetBranchCreateInput.isRegex': false,
  'InitiativePrioritySort.noPriorityFirst': false,
  'JiraSettingsInput.isJiraServer': false,
  'Mutation.initiativeLeadTeamUpdate.mode': 'selectedOnly',
  'Mutation.integrationGithubConnect.codeAccess': false,
  'Mutation.integrationGithubConnect.confirmReplace': false,
  'OrganizationDomainCreateInput.authType': 'general',
  'OrganizationInviteCreateInput.role': 'user',
  'PrioritySort.noPriorityFirst': false,
  'PrioritySort.usePrioritySortOrderTiebreaker': true,
  'ProjectPrioritySort.noPriorityFirst': false,
  'ProjectStatusCreateInput.indefinite': false,
  'PushSubscriptionCreateInput.type': 'web',
  'Query.pushSubscriptionTest.sendStrategy': 'push',
  'Query.pushSubscriptionTest.targetMobile': false,
  'Query.releaseSearch.first': 20,
  'Query.ssoUrlFromEmail.type': 'general',
  'Release.issueCount.includeArchived': false,
  'Team.issueCount.includeArchived': false,
  'Team.issues.includeSubTeams': false,
  'Team.projects.includeSubTeams': false,
  'UserSettings.theme.deviceType': 'desktop',
  'UserSettings.theme.mode': 'light',
  'WebhookCreateInput.enabled': true,
  'WorkflowStateSort.closedIssuesOrderedByRecency': false,
}

/** Every sort input has `nulls`, and they come last. */
export const defaultValue = (place: string): unknown =>
  /^\w+Sort\.nulls$/.test(place) ? 'last' : defaultValues[place]

/** Fields and arguments that older clients still send and newer declarations have dropped. */
export const retiredArguments: Readonly<Record<string, readonly { name: string; type: string }[]>> = {
  'Query.searchIssues': [{ name: 'snippetSize', type: 'Float' }],
  'Query.searchProjects': [{ name: 'snippetSize', type: 'Float' }],
  'Query.searchDocuments': [{ name: 'snippetSize', type: 'Float' }],
  'Query.comment': [{ name: 'issueId', type: 'String' }],
  'Mutation.attachmentLinkGitHubPR': [
    { name: 'number', type: 'Float' },
    { name: 'owner', type: 'String' },
    { name: 'repo', type: 'String' },
  ],
  'Mutation.attachmentLinkSlack': [
    { name: 'channel', type: 'String' },
    { name: 'latest', type: 'String' },
    { name: 'ts', type: 'String' },
  ],
  'Mutation.projectCreate': [{ name: 'connectSlackChannel', type: 'Boolean' }],
}
const retired = 'No longer used.'
export const retiredFields: Readonly<
  Record<string, readonly { name: string; type: string; deprecated: string }[]>
> = {
  Favorite: [{ name: 'roadmap', type: 'Roadmap', deprecated: retired }],
  ProjectNotification: [
    { name: 'initiative', type: 'Initiative', deprecated: retired },
    { name: 'initiativeUpdate', type: 'InitiativeUpdate', deprecated: retired },
  ],
}
