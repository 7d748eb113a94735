import { actorId, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { EntityRow } from '../../rows.ts'
import { checkActsAsUser } from '../../rules/lengths.ts'
import { inputError, invalidArgument } from '../../shapes/refusals.ts'
import { crud, mutation, type Operations, query } from '../crud.ts'
import { rootPage } from '../queries.ts'
import { addRecord, changeRecord, type Input, payload, plain, readInput, recordInput } from '../records.ts'
import { createComment } from './comments.ts'
import { needIssue } from './issues.ts'

const checkUrl = (input: Input, url: unknown): string => {
  if (typeof url === 'string' && URL.canParse(url)) return url
  throw invalidArgument({
    target: { ...input },
    property: 'url',
    value: url,
    constraints: { isUrl: 'url must be a URL address' },
  })
}

/** An address is attached to an issue once: creating it again updates the attachment, linking it again is refused. */
const attach = (
  call: TrackerCall,
  input: Input,
  columns: Record<string, unknown>,
  known: 'renew' | 'refuse',
): EntityRow => {
  const issue = needIssue(call, input.issueId)
  const url = checkUrl(input, input.url)
  const there = [...call.tables.Attachment.find('url', url)].find((row) => row.issueId === issue.id)
  if (there && known === 'refuse')
    throw inputError(
      'Duplicate attachment for duplicate url',
      'An attachment with the same URL already exists.',
    )
  if (there) return changeRecord(call, 'Attachment', there, columns)
  return addRecord(
    call,
    'Attachment',
    {
      title: url,
      subtitle: null,
      metadata: {},
      groupBySource: false,
      sourceType: null,
      ...columns,
      url,
      issueId: issue.id,
      creatorId: actorId(call),
    },
    input,
  )
}

const create = (call: TrackerCall, input: Input): EntityRow => {
  checkActsAsUser(call, input)
  const columns = readInput(call, 'Attachment', 'AttachmentCreateInput', input)
  const row = attach(call, input, { ...columns }, 'renew')
  if (typeof input.commentBody === 'string' && input.commentBody !== '')
    createComment(call, { issueId: row.issueId, body: input.commentBody })
  return row
}

/** Links of a known kind are attachments that say where they lead. */
const linked = (name: string, sourceType: string): Operations =>
  mutation(name, (call, args) => {
    const title = typeof args.title === 'string' && args.title !== '' ? { title: args.title } : {}
    const row = attach(call, args, { ...title, sourceType, source: { type: sourceType } }, 'refuse')
    return payload(call, 'Attachment', row)
  })

export const attachmentOperations: Operations = {
  ...crud({ type: 'Attachment', has: ['Delete'] }),
  ...mutation('attachmentCreate', (call, { input }) =>
    payload(call, 'Attachment', create(call, recordInput(input))),
  ),
  ...mutation('attachmentUpdate', (call, { id, input }) => {
    const row = need(call, 'Attachment', id)
    const given = recordInput(input)
    const columns = readInput(call, 'Attachment', 'AttachmentUpdateInput', given)
    return payload(
      call,
      'Attachment',
      changeRecord(call, 'Attachment', row, { ...columns, metadata: plain(given.metadata) ?? row.metadata }),
    )
  }),
  ...linked('attachmentLinkURL', 'url'),
  ...linked('attachmentLinkGitHubPR', 'github'),
  ...linked('attachmentLinkGitHubIssue', 'github'),
  ...linked('attachmentLinkGitLabMR', 'gitlab'),
  ...linked('attachmentLinkSlack', 'slack'),
  ...linked('attachmentLinkDiscord', 'discord'),
  ...linked('attachmentLinkSalesforce', 'salesforce'),
  ...query('attachmentsForURL', (call, args) =>
    rootPage(call, 'attachmentsForURL', args, {
      type: 'Attachment',
      index: 'url',
      value: String(args.url),
    }),
  ),
  ...query('attachmentIssue', (call, { id }) => needIssue(call, need(call, 'Attachment', id).issueId)),
  ...query('attachmentSources', (call) => {
    const sources: Record<string, number> = {}
    for (const { sourceType } of call.tables.Attachment.all())
      if (typeof sourceType === 'string') sources[sourceType] = (sources[sourceType] ?? 0) + 1
    return { sources }
  }),
}
