import type { Coverage } from '@diorama/twin-kit/kernel/twin'
import { eventNames, unsentEvents } from './apps/event-names.ts'
import { catalogue } from './methods/catalogue.ts'
import { operations } from './operations/index.ts'
import { ruleCoverage } from './rules.ts'

/**
 * The ledger of claims. A method is `documented` unless it is listed here: `observed` where a recorded answer of the real
 * service was seen, `chosen` where neither tells and we decided.
 */
const claims: Readonly<Record<string, Pick<Coverage, 'evidence' | 'missing'>>> = {
  'auth.test': { evidence: 'observed' },
  'chat.postMessage': { evidence: 'observed' },
  'conversations.info': { evidence: 'observed' },
  'chat.delete': { evidence: 'chosen' },
  'conversations.replies': { evidence: 'chosen' },
  'conversations.setTopic': { evidence: 'chosen' },
  'conversations.setPurpose': { evidence: 'chosen' },
  'search.messages': { evidence: 'chosen' },
  'search.files': { evidence: 'chosen' },
  'search.all': { evidence: 'chosen' },
  'files.completeUploadExternal': { evidence: 'chosen' },
  'POST /upload/v1': { evidence: 'chosen' },
  'GET /files-pri': { evidence: 'chosen' },
  'POST /oauth/v2/authorize': { evidence: 'documented' },
  'POST /actions': { evidence: 'documented' },
  'GET /link': { evidence: 'documented' },
  'POST /services': { evidence: 'documented' },
}

/** Methods that do part of what the real ones do. */
const partial: Readonly<Record<string, string>> = {
  'oauth.v2.access':
    'installing chooses no channel for an incoming webhook; a used refresh token has no grace period, and more than two tokens may be active',
  'reminders.add': 'monthly and yearly recurrence',
  'users.identity': 'scopes of the identity family are not distinguished',
  'users.setActive': 'presence does not decay, so that there is nothing to renew',
  'team.profile.get': 'custom profile fields: the list is always empty',
  'team.preferences.list': 'preferences are fixed',
  'team.billing.info': 'the plan is fixed',
  'chat.startStream': 'chunks other than Markdown text are counted and not shown',
  'chat.appendStream': 'chunks other than Markdown text are counted and not shown',
  'chat.stopStream': 'chunks other than Markdown text are counted and not shown',
  'users.setPhoto': 'the avatar changes, and its address gives a plain picture',
  'conversations.inviteShared': 'nobody accepts an invitation',
  'calls.add': 'a call is not shown in the channels that its block is posted to',
  'team.billableInfo': 'one page',
  'chat.unfurl': 'sign-in prompts are accepted and shown to nobody',
  'assistant.search.context': 'search is by words; term clauses, context messages and highlights are ignored',
  'assistant.search.info': 'semantic search is always off',
  'canvases.edit': 'sections are paragraphs and headings of Markdown',
  'stars.list': 'pages by number alone',
}

/** What the service sends on its own, and what is left out of it. */
const sent: readonly Coverage[] = [
  {
    operation: 'Events API deliveries',
    status: 'partial',
    missing: 'subscriptions are not disabled for failing; one delivery is not rate limited',
    evidence: 'documented',
  },
  { operation: 'Socket Mode', status: 'done', evidence: 'documented' },
  {
    operation: 'interactivity',
    status: 'partial',
    missing: 'legacy dialogs, message menus and workflow steps; options are recorded and not shown',
    evidence: 'documented',
  },
  ...eventNames.map(
    (name): Coverage => ({
      operation: `event ${name}`,
      status: unsentEvents.has(name) ? 'not emulated' : 'done',
      evidence: 'documented',
    }),
  ),
]

const claimed = (operation: string): Coverage => {
  const { evidence = 'documented' } = claims[operation] ?? {}
  const missing = partial[operation]
  return missing === undefined
    ? { operation, status: 'done', evidence }
    : { operation, status: 'partial', missing, evidence }
}

/** What is not a method, or not a public one, and that the twin does not have. */
const beyond = ['rate limits counted per token', 'browser-internal client.* methods']

export const coverage: readonly Coverage[] = [
  ...Object.keys(operations).map(claimed),
  ...Object.keys(catalogue)
    .filter((operation) => !(operation in operations))
    .map((operation): Coverage => ({ operation, status: 'not emulated', evidence: 'chosen' })),
  ...ruleCoverage,
  ...sent,
  ...beyond.map((operation): Coverage => ({ operation, status: 'not emulated' })),
]

/** The methods that every client uses: done whole, each with a test through a real client. */
export const tier1: readonly string[] = [
  'api.test',
  'auth.test',
  'bookmarks.add',
  'bookmarks.edit',
  'bookmarks.list',
  'bookmarks.remove',
  'bots.info',
  'chat.delete',
  'chat.deleteScheduledMessage',
  'chat.getPermalink',
  'chat.postEphemeral',
  'chat.postMessage',
  'chat.scheduleMessage',
  'chat.scheduledMessages.list',
  'chat.update',
  'conversations.archive',
  'conversations.close',
  'conversations.create',
  'conversations.history',
  'conversations.info',
  'conversations.invite',
  'conversations.join',
  'conversations.kick',
  'conversations.leave',
  'conversations.list',
  'conversations.mark',
  'conversations.members',
  'conversations.open',
  'conversations.rename',
  'conversations.replies',
  'conversations.setPurpose',
  'conversations.setTopic',
  'conversations.unarchive',
  'emoji.list',
  'files.completeUploadExternal',
  'files.delete',
  'files.getUploadURLExternal',
  'files.info',
  'files.list',
  'pins.add',
  'pins.list',
  'pins.remove',
  'reactions.add',
  'reactions.get',
  'reactions.list',
  'reactions.remove',
  'search.all',
  'search.files',
  'search.messages',
  'team.info',
  'usergroups.create',
  'usergroups.list',
  'usergroups.update',
  'usergroups.users.list',
  'usergroups.users.update',
  'users.conversations',
  'users.getPresence',
  'users.info',
  'users.list',
  'users.lookupByEmail',
  'users.profile.get',
  'users.profile.set',
]
