import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { AgentSessionRow, CommentRow, EntityRow, IssueRow } from '../../rows.ts'
import { forbidden, inputError, invalidArgument } from '../../shapes/refusals.ts'
import { every } from '../../tables.ts'
import { iso, minute, second } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { addRecord, changeRecord, type Input, newSlugId, payload, plain, recordInput } from '../records.ts'

/** How long an agent has to be heard of at first, and after that from one activity to the next. */
export const firstResponseMs = 10 * second
export const followUpMs = 30 * minute

/** States in which the agent is still expected to do something. */
const open = new Set(['pending', 'active', 'awaitingInput', 'stopping', 'stale'])

export const isAgent = (user: EntityRow | undefined): user is EntityRow =>
  user?.app === true && user.active !== false && user.supportsAgentSessions === true

export const needSession = (call: TrackerCall, id: unknown): AgentSessionRow => {
  const row = call.tables.AgentSession.get(need(call, 'AgentSession', id).id)
  if (!row) throw new Error('a session that was found is gone')
  return row
}

/** What belongs to an agent's session can be set by that agent alone. */
export const needOwnSession = (call: TrackerCall, id: unknown): AgentSessionRow => {
  const session = needSession(call, id)
  if (session.appUserId !== call.actor?.id)
    throw forbidden('Only the OAuth application that owns the agent session can do this.')
  return session
}

interface Start {
  readonly agent: EntityRow
  readonly issue?: IssueRow | undefined
  /** The first comment of the thread. */
  readonly root?: CommentRow | undefined
  /** The comment that mentioned the agent, where it is not the first of its thread. */
  readonly source?: CommentRow | undefined
  readonly columns?: Row
  readonly input?: Input
}

export const startSession = (
  call: TrackerCall,
  { agent, issue, root, source, columns = {}, input = {} }: Start,
): AgentSessionRow => {
  const human = find(call, 'User', call.actor?.id)
  const thread = root ?? (issue ? startThread(call, issue, agent) : undefined)
  const row = addRecord(
    call,
    'AgentSession',
    {
      slugId: newSlugId(call),
      appUserId: agent.id,
      creatorId: human && human.app !== true ? human.id : null,
      issueId: issue?.id ?? thread?.issueId ?? null,
      commentId: thread?.id ?? null,
      sourceCommentId: source?.id ?? null,
      status: 'pending',
      type: 'commentThread',
      startedAt: null,
      endedAt: null,
      dismissedAt: null,
      dismissedById: null,
      staleAt: iso(call.now + firstResponseMs),
      summary: null,
      plan: null,
      externalUrls: [],
      ...columns,
    },
    input,
  )
  return needSession(call, row.id)
}

/** A session that no comment started gets its own thread, in which people and the agent write. */
const startThread = (call: TrackerCall, issue: IssueRow, agent: EntityRow): CommentRow => {
  const row = addRecord(call, 'Comment', {
    body: `This thread is for an agent session with ${String(agent.displayName)}.`,
    userId: actorId(call),
    issueId: issue.id,
    projectId: null,
    projectUpdateId: null,
    initiativeId: null,
    initiativeUpdateId: null,
    documentContentId: null,
    parentId: null,
    resolvedAt: null,
    resolvingUserId: null,
    resolvingCommentId: null,
    editedAt: null,
    isArtificialAgentSessionRoot: true,
  })
  const comment = call.tables.Comment.get(row.id)
  if (!comment) throw new Error('a comment that was added is gone')
  return comment
}

/** Delegating an issue starts a session, unless the agent is at work on it already. */
export const sessionOnDelegation = (call: TrackerCall, issue: IssueRow): void => {
  const agent = find(call, 'User', issue.delegateId)
  if (!isAgent(agent) || agent.id === call.actor?.id) return
  const busy = [...call.tables.AgentSession.find('issueId', issue.id)].some(
    ({ appUserId, status, dismissedAt }) => appUserId === agent.id && open.has(status) && !dismissedAt,
  )
  if (!busy) startSession(call, { agent, issue })
}

/** Sessions whose agent was not heard of in time go stale; its next activity brings them back. */
export const staleSessions = (call: TrackerCall): void => {
  const now = iso(call.now)
  for (const session of [...call.tables.AgentSession.find('deadline', every)]) {
    if (session.staleAt === null || session.staleAt > now) break
    call.tables.AgentSession.update(session.id, { status: 'stale', staleAt: null, updatedAt: now })
  }
}

interface Link {
  readonly label: string
  readonly url: string
}

const linksOf = (input: Input, property: string): Link[] | undefined => {
  const value = input[property]
  if (!Array.isArray(value)) return undefined
  return value.map((one: unknown) => {
    const { label, url } = recordInput(one)
    if (typeof url !== 'string' || !URL.canParse(url))
      throw invalidArgument({
        target: { ...input },
        property,
        value: plain(value),
        constraints: { isUrl: `${property} must hold URL addresses` },
      })
    return { label: String(label), url }
  })
}

/** The addresses that an update leaves a session with; `externalUrls` replaces, the other two change. */
const linkedTo = (session: Pick<AgentSessionRow, 'externalUrls'>, input: Input): Row => {
  const link =
    typeof input.externalLink === 'string' ? [{ label: 'Open', url: input.externalLink }] : undefined
  const replaced = linksOf(input, 'externalUrls') ?? (input.externalLink === null ? [] : link)
  if (replaced) return { externalUrls: unique(replaced) }
  const added = linksOf(input, 'addedExternalUrls') ?? []
  const removed = Array.isArray(input.removedExternalUrls) ? input.removedExternalUrls.map(String) : []
  if (added.length === 0 && removed.length === 0) return {}
  return {
    externalUrls: unique([...session.externalUrls.filter(({ url }) => !removed.includes(url)), ...added]),
  }
}
const unique = (links: readonly Link[]): Link[] => [
  ...new Map(links.map((link) => [link.url, link])).values(),
]

const planStates = ['pending', 'inProgress', 'completed', 'canceled']

/** A plan is replaced whole: steps with their words and where they are. */
const planOf = (input: Input): Row => {
  const { plan } = input
  if (plan === undefined) return {}
  if (plan === null) return { plan: null }
  const steps = plain(plan)
  const fits =
    Array.isArray(steps) &&
    steps.every((step) => {
      const { content, status } = recordInput(step)
      return typeof content === 'string' && planStates.includes(String(status))
    })
  if (fits) return { plan: steps }
  throw invalidArgument({
    target: { ...input },
    property: 'plan',
    value: steps,
    constraints: {
      isPlan: `plan must be a list of steps with content and a status of ${planStates.join(', ')}`,
    },
  })
}

const summaryOf = (input: Input): Row => {
  const { summary } = input
  if (summary === undefined) return {}
  if (summary === null) return { summary: null }
  const text = String(summary)
  if (text.length <= 255 && /\S/.test(text) && !/[\r\n\0]/.test(text)) return { summary: text }
  throw invalidArgument({
    target: { ...input },
    property: 'summary',
    value: summary,
    constraints: { isTitle: 'summary must be one line of 1 to 255 characters' },
  })
}

/** Naming an address acknowledges a new session, as a first activity does. */
const acknowledged = (call: TrackerCall, session: AgentSessionRow, columns: Row): Row =>
  session.status === 'pending' && ('externalUrls' in columns || 'plan' in columns)
    ? { staleAt: iso(call.now + followUpMs) }
    : {}

const internalOnly = ['dismissedAt', 'userState']

const update = (call: TrackerCall, id: unknown, input: Input) => {
  const session = needOwnSession(call, id)
  for (const property of internalOnly)
    if (input[property] !== undefined) throw forbidden(`${property} can only be set by Linear's own clients.`)
  const columns = { ...linkedTo(session, input), ...planOf(input), ...summaryOf(input) }
  return payload(
    call,
    'AgentSession',
    changeRecord(call, 'AgentSession', session, { ...columns, ...acknowledged(call, session, columns) }),
  )
}

/** Agents start sessions for themselves; people start them by delegating and mentioning. */
const needAgent = (call: TrackerCall): EntityRow => {
  const agent = find(call, 'User', actorId(call))
  if (!isAgent(agent)) throw forbidden('Only OAuth applications in actor=app mode can create agent sessions.')
  return agent
}

export const sessionOperations: Operations = {
  ...mutation('agentSessionCreateOnIssue', (call, args) => {
    const input = recordInput(args.input)
    const agent = needAgent(call)
    const issue = call.tables.Issue.get(need(call, 'Issue', input.issueId).id)
    const columns = linkedTo({ externalUrls: [] }, input)
    return payload(call, 'AgentSession', startSession(call, { agent, issue, columns }))
  }),
  ...mutation('agentSessionCreateOnComment', (call, args) => {
    const input = recordInput(args.input)
    const agent = needAgent(call)
    const root = call.tables.Comment.get(need(call, 'Comment', input.commentId).id)
    if (root?.parentId !== null)
      throw inputError('Not a root comment', 'Agent sessions can only be created on root comments.')
    if (
      [...call.tables.AgentSession.find('commentId', root.id)].some(({ appUserId }) => appUserId === agent.id)
    )
      throw inputError('Agent session already exists', 'The comment already has a session of this agent.')
    const columns = linkedTo({ externalUrls: [] }, input)
    return payload(call, 'AgentSession', startSession(call, { agent, root, columns }))
  }),
  ...mutation('agentSessionUpdate', (call, { id, input }) => update(call, id, recordInput(input))),
  ...mutation('agentSessionUpdateExternalUrl', (call, { id, input }) => update(call, id, recordInput(input))),
}
