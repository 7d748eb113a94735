import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, find, type TrackerCall } from '../../context.ts'
import type { AgentActivityRow, AgentSessionRow, CommentRow, EntityRow } from '../../rows.ts'
import { forbidden, inputError, invalidArgument, notEmulated } from '../../shapes/refusals.ts'
import { editorText } from '../../values/text.ts'
import { iso } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { addRecord, type Input, payload, plain, recordInput } from '../records.ts'
import { followUpMs, isAgent, needOwnSession, needSession, startSession } from './sessions.ts'

/** What each kind of activity makes of its session. */
const statusAfter = {
  thought: 'active',
  action: 'active',
  elicitation: 'awaitingInput',
  response: 'complete',
  error: 'error',
  prompt: 'active',
} as const
type ActivityType = keyof typeof statusAfter

const agentTypes: readonly string[] = ['thought', 'action', 'elicitation', 'response', 'error']
/** What the agent says last in a turn is also a comment in its thread. */
const spoken: ReadonlySet<string> = new Set(['elicitation', 'response', 'error'])

const fault = (input: Input, property: string, message: string) =>
  invalidArgument({
    target: { ...input },
    property,
    value: plain(input[property]) ?? null,
    constraints: { isValid: message },
  })

/** The content of an activity, which the schema leaves open and the documentation does not. */
const contentOf = (input: Input): Row & { type: ActivityType } => {
  const given = recordInput(plain(input.content))
  const { type } = given
  if (!agentTypes.includes(String(type)))
    throw fault(
      input,
      'content',
      `content.type must be one of the following values: ${agentTypes.join(', ')}`,
    )
  const needs = type === 'action' ? ['action', 'parameter'] : ['body']
  for (const field of needs)
    if (typeof given[field] !== 'string' || (field !== 'parameter' && given[field].trim() === ''))
      throw fault(input, 'content', `content.${field} must be a non-empty string`)
  if (given.result !== undefined && given.result !== null && typeof given.result !== 'string')
    throw fault(input, 'content', 'content.result must be a string')
  return { ...given, type: type as ActivityType }
}

/** Which signals go with which activities: agents ask to choose or to sign in, people ask to stop. */
const signalOf = (input: Input, type: ActivityType): Row => {
  const { signal } = input
  if (signal === undefined || signal === null) return { signal: null, signalMetadata: null }
  const fits =
    type === 'prompt'
      ? signal === 'stop' || signal === 'continue'
      : type === 'elicitation' && signal !== 'stop'
  if (!fits)
    throw fault(input, 'signal', `signal ${String(signal)} cannot be used on activities of type ${type}`)
  const metadata = recordInput(plain(input.signalMetadata))
  if (signal === 'auth' && typeof metadata.url !== 'string')
    throw fault(input, 'signalMetadata', 'signalMetadata.url must be set with the auth signal')
  if (signal === 'select' && !Array.isArray(metadata.options))
    throw fault(input, 'signalMetadata', 'signalMetadata.options must be set with the select signal')
  return { signal, signalMetadata: input.signalMetadata ? metadata : null }
}

const add = (
  call: TrackerCall,
  session: AgentSessionRow,
  columns: Row,
  input: Input = {},
): AgentActivityRow => {
  for (const { id, ephemeral } of [...call.tables.AgentActivity.find('agentSessionId', session.id)])
    if (ephemeral) call.tables.AgentActivity.delete(id)
  const row = addRecord(
    call,
    'AgentActivity',
    {
      agentSessionId: session.id,
      userId: actorId(call),
      ephemeral: false,
      signal: null,
      signalMetadata: null,
      sourceCommentId: null,
      ...columns,
    },
    input,
  )
  const activity = call.tables.AgentActivity.get(row.id)
  if (!activity) throw new Error('an activity that was added is gone')
  move(call, session, activity)
  return activity
}

/** A session's state follows from the last activity. */
const move = (call: TrackerCall, session: AgentSessionRow, { content, signal }: AgentActivityRow): void => {
  const now = iso(call.now)
  const status = signal === 'stop' ? 'stopping' : statusAfter[content.type]
  const works = status === 'active' || status === 'stopping'
  call.tables.AgentSession.update(session.id, {
    status,
    updatedAt: now,
    staleAt: works ? iso(call.now + followUpMs) : null,
    startedAt: session.startedAt ?? (content.type === 'prompt' ? null : now),
    endedAt: status === 'complete' || status === 'error' ? now : null,
  })
}

const speak = (call: TrackerCall, session: AgentSessionRow, body: string): CommentRow | undefined => {
  const root = call.tables.Comment.get(session.commentId ?? '')
  if (!root) return undefined
  const {
    id: _id,
    body: _body,
    createdAt: _c,
    updatedAt: _u,
    isArtificialAgentSessionRoot: _a,
    ...place
  } = root
  const row = addRecord(call, 'Comment', {
    ...place,
    body,
    userId: actorId(call),
    parentId: root.id,
    resolvedAt: null,
    resolvingUserId: null,
    resolvingCommentId: null,
    editedAt: null,
  })
  return call.tables.Comment.get(row.id)
}

const create = (call: TrackerCall, input: Input) => {
  const session = needOwnSession(call, input.agentSessionId)
  const content = contentOf(input)
  if (input.ephemeral === true && content.type !== 'thought' && content.type !== 'action')
    throw fault(input, 'ephemeral', 'ephemeral can only be set on activities of type thought and action')
  const signals = signalOf(input, content.type)
  const comment = spoken.has(content.type) ? speak(call, session, String(content.body)) : undefined
  const columns = {
    content,
    ...signals,
    ephemeral: input.ephemeral === true,
    sourceCommentId: comment?.id ?? null,
  }
  return payload(call, 'AgentActivity', add(call, session, columns, input))
}

/** What a person writes to the agent. */
const prompt = (call: TrackerCall, input: Input) => {
  if (find(call, 'User', actorId(call))?.app === true)
    throw forbidden('Prompts are written by people, not by applications.')
  if (input.queued === true) throw notEmulated('AgentActivityCreatePromptInput.queued')
  const session = needSession(call, input.agentSessionId)
  const given = recordInput(input.content)
  if (given.type !== undefined && given.type !== 'prompt')
    throw fault(input, 'content', 'content.type must be prompt')
  const body = typeof given.body === 'string' ? given.body : editorText(given.bodyData)
  const signals = signalOf(input, 'prompt')
  if (body.trim() === '' && signals.signal === null)
    throw fault(input, 'content', 'content.body must be a non-empty string')
  const source = input.sourceCommentId ? call.tables.Comment.get(String(input.sourceCommentId)) : undefined
  if (input.sourceCommentId && !source)
    throw inputError('Invalid source comment', 'Could not find the comment.')
  const comment = source ?? (body.trim() === '' ? undefined : speak(call, session, body))
  const columns = { content: { type: 'prompt', body }, ...signals, sourceCommentId: comment?.id ?? null }
  return payload(call, 'AgentActivity', add(call, session, columns, input))
}

/**
 * What a comment means to agents. One that mentions an agent starts its session in that thread; one that is written
 * in the thread of a session is a prompt to its agent, unless it calls upon another.
 */
export const commentReachesAgents = (
  call: TrackerCall,
  comment: CommentRow,
  named: readonly EntityRow[],
): void => {
  if (find(call, 'User', comment.userId)?.app === true) return
  const root = comment.parentId === null ? comment : call.tables.Comment.get(comment.parentId)
  if (!root) return
  const sessions = [...call.tables.AgentSession.find('commentId', root.id)].filter(
    (session) => !session.dismissedAt,
  )
  const agents = named.filter((user) => isAgent(user) && user.isMentionable !== false)
  for (const agent of agents) {
    const session = sessions.find(({ appUserId }) => appUserId === agent.id)
    if (session) hear(call, session, comment)
    else startSession(call, { agent, root, source: comment.id === root.id ? undefined : comment })
  }
  if (agents.length > 0 || comment.id === root.id) return
  for (const session of sessions) hear(call, session, comment)
}

const hear = (call: TrackerCall, session: AgentSessionRow, { id, body }: CommentRow): void => {
  add(call, session, { content: { type: 'prompt', body }, sourceCommentId: id })
}

export const activityOperations: Operations = {
  ...mutation('agentActivityCreate', (call, { input }) => create(call, recordInput(input))),
  ...mutation('agentActivityCreatePrompt', (call, { input }) => prompt(call, recordInput(input))),
}
