import { defineManifest } from '@diorama/twin-kit/kernel/manifest'
import { check } from './check.ts'
import { section } from './section.ts'

export const tracker = defineManifest({
  kind: 'tracker',
  label: 'Tracker',
  aliases: ['linear'],
  icon: 'M8 13.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11z M5.5 8.200l1.8 1.8 3.2-3.7',
  standsFor: 'Linear GraphQL API, as of @linear/sdk 98.0.0',
  hosts: ['api.linear.app', 'uploads.linear.app', 'mcp.linear.app', 'linear.app'],
  ports: [],
  section,
  check,
  keyNames: 'issue key',
  keys: ({ issues }) => issues.map(({ key }) => key),
  secrets: ['lin_(?:api|oauth|refresh|wh)_[A-Za-z0-9]{8,}'],
  sampleRead: {
    method: 'POST',
    path: '/graphql',
    body: '{"query":"{ issues(first: 5) { nodes { identifier title } } }"}',
    scheme: '',
  },
  primaryFields: {
    Issue: ['title', 'identifier', 'state', 'assignee', 'priority', 'project'],
    Comment: ['body', 'user', 'issue'],
    Project: ['name', 'state', 'lead'],
    Team: ['name', 'key'],
    User: ['name', 'email'],
    AgentSession: ['status', 'issueId', 'summary'],
    AgentActivity: ['content', 'agentSessionId'],
    OAuthApplication: ['name', 'developer'],
  },
  noise: { '*': ['updatedAt', 'sortOrder', 'prioritySortOrder', 'boardOrder', 'subIssueSortOrder'] },
  valueNames: { Issue: { priority: ['No priority', 'Urgent', 'High', 'Medium', 'Low'] } },
  legacyResources: ['Issue', 'Comment'],
  url: import.meta.url,
})
