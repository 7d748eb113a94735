import { find } from '../context.ts'
import { editorDocument } from '../values/text.ts'
import { always, type Fields, text, unless } from './field.ts'
import { issueUrl } from './links.ts'

export const sessionFields: Fields = {
  ...unless({ context: {}, externalUrls: [], type: 'commentThread' }),
  externalLink: ({ externalUrls }) => (Array.isArray(externalUrls) ? (externalUrls[0]?.url ?? null) : null),
  externalLinks: ({ externalUrls }) => externalUrls ?? [],
  url: (row, _, context) => {
    const issue = find(context, 'Issue', row.issueId)
    return issue ? `${issueUrl(issue, context)}#agent-session-${text(row.slugId)}` : null
  },
}

const isContent = (value: unknown): value is { type: string; body?: string } =>
  typeof value === 'object' && value !== null && 'type' in value

export const activityFields: Fields = {
  ...unless({ ephemeral: false }),
  queued: always(false),
  content: ({ content }) => {
    if (!isContent(content)) return null
    const { type, body } = content
    return {
      ...content,
      __typename: `AgentActivity${type.charAt(0).toUpperCase()}${type.slice(1)}Content`,
      ...(body === undefined ? {} : { bodyData: JSON.parse(editorDocument(body)) }),
    }
  },
}

export const applicationFields: Fields = unless({ description: null, imageUrl: null, developerUrl: '' })
