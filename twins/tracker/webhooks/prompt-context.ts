import { find, type TrackerCall } from '../context.ts'
import type { AgentSessionRow, EntityRow } from '../rows.ts'

const safe = (text: unknown): string =>
  String(text ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** What an agent needs to know to begin, written as marked-up text for a language model. */
export const promptContext = (
  call: TrackerCall,
  session: AgentSessionRow,
  thread: readonly EntityRow[],
): string | null => {
  const issue = find(call, 'Issue', session.issueId)
  if (!issue) return null
  const team = find(call, 'Team', issue.teamId)
  const labels = Array.isArray(issue.labelIds)
    ? issue.labelIds.flatMap((id: unknown) => find(call, 'IssueLabel', id) ?? [])
    : []
  const project = find(call, 'Project', issue.projectId)
  const source = find(call, 'Comment', session.sourceCommentId ?? session.commentId)
  const asked = source && source.isArtificialAgentSessionRoot !== true ? [source] : []
  const lines = [
    `<issue identifier="${safe(issue.identifier)}">`,
    `<title>${safe(issue.title)}</title>`,
    ...(issue.description ? [`<description>${safe(issue.description)}</description>`] : []),
    ...(team ? [`<team name="${safe(team.name)}"/>`] : []),
    ...labels.map(({ name }) => `<label>${safe(name)}</label>`),
    ...(project ? [`<project name="${safe(project.name)}">${safe(project.description)}</project>`] : []),
    '</issue>',
    ...([...thread, ...asked].length > 0
      ? [`<primary-directive-thread comment-id="${session.commentId}">`]
      : []),
    ...[...thread, ...asked].map((comment) => commentOf(call, comment)),
    ...([...thread, ...asked].length > 0 ? ['</primary-directive-thread>'] : []),
  ]
  return lines.join('\n')
}

const commentOf = (call: TrackerCall, comment: EntityRow): string =>
  `<comment author="${safe(find(call, 'User', comment.userId)?.displayName)}" created-at="${comment.createdAt}">${safe(comment.body)}</comment>`
