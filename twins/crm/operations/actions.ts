import { type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { makeId, podOf, readId } from '../ids.ts'
import { refuse, requiredMissing } from '../records/refusals.ts'
import { changeRecord, existing, insertRecord, objectNamed } from '../records/save.ts'
import { isEmail } from '../records/values.ts'
import { type Writing, writingOf } from '../records/writing.ts'
import type { SchemaIn } from '../schema/schema.ts'
import { type CrmTables, sentEmailTable, tableOf } from '../tables.ts'

export interface Email {
  readonly to: readonly string[]
  readonly subject: string
  readonly body: string
  readonly isHtml?: boolean
  readonly relatedTo?: string
  /** Whether the organization keeps the e-mail as a record, too. */
  readonly log?: boolean
}

const maxRecipients = 150

/** What the service does besides keeping records. */
export const actionOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  sendEmail: operation<CrmTables, Email, string>({
    effect: 'write',
    run: (call, email) => sendEmail(writingOf(schemaIn(call.tables), call), email),
  }),
  publishArticle: operation<CrmTables, { id: string; status: string }, string>({
    effect: 'write',
    run: (call, { id, status }) => publishArticle(writingOf(schemaIn(call.tables), call), id, status),
  }),
})

/** Every e-mail that leaves is kept where graders see it; the organization logs it only when asked to. */
const sendEmail = (writing: Writing, { to, subject, body, isHtml, relatedTo, log }: Email): string => {
  const missing = [
    ...(to.length === 0 ? ['emailAddresses'] : []),
    ...(subject === '' ? ['emailSubject'] : []),
    ...(body === '' ? ['emailBody'] : []),
  ]
  if (missing.length > 0) throw requiredMissing(missing)
  if (to.length > maxRecipients)
    throw refuse('LIMIT_EXCEEDED', `An e-mail has at most ${maxRecipients} recipients`, ['emailAddresses'])
  for (const address of to)
    if (!isEmail(address))
      throw refuse('INVALID_EMAIL_ADDRESS', `Email: invalid email address: ${address}`, ['emailAddresses'])
  const about = relatedTo === undefined ? undefined : writing.own.lookup(readId(relatedTo) ?? '')
  if (relatedTo !== undefined && !about)
    throw refuse('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['relatedRecordId'])
  const sender = writing.table('User').get(writing.userId)
  const [organization] = writing.call.tables.Organization?.all() ?? []
  const id = makeId('18X', podOf(String(organization?.Id)), writing.call.sequence('sent email'))
  const common = {
    FromAddress: String(sender?.Email ?? ''),
    FromName: String(sender?.Name ?? ''),
    ToAddress: to.join('; '),
    Subject: subject,
    ...(isHtml ? { HtmlBody: body } : { TextBody: body }),
    ...(about ? { RelatedToId: String(about.row.Id) } : {}),
  }
  tableOf(writing.call.tables, sentEmailTable).insert({
    Id: id,
    SentDate: writing.stamp,
    SentById: writing.userId,
    ...common,
  })
  if (log)
    insertRecord(writing, writing.org.object('EmailMessage'), {
      ...common,
      ...(about?.object.name === 'Case' ? { ParentId: about.row.Id } : {}),
      Status: '3',
      Incoming: false,
      MessageDate: writing.stamp,
    })
  return id
}

/** Puts a draft online, or takes what is online into the archive. */
const publishArticle = (writing: Writing, id: string, status: string): string => {
  const articles = objectNamed(writing, 'Knowledge__kav')
  const row = existing(writing, articles, id)
  const expected = status === 'Online' ? 'Draft' : 'Online'
  if ((status !== 'Online' && status !== 'Archived') || row.PublishStatus !== expected)
    throw refuse(
      'INVALID_STATUS',
      `An article that is ${String(row.PublishStatus)} cannot become ${status}`,
      ['PublishStatus'],
    )
  changeRecord(writing, articles, row, {
    PublishStatus: status,
    ...(status === 'Online'
      ? {
          VersionNumber: Number(row.VersionNumber ?? 0) + 1,
          FirstPublishedDate: row.FirstPublishedDate ?? writing.stamp,
          LastPublishedDate: writing.stamp,
        }
      : { ArchivedDate: writing.stamp, ArchivedById: writing.userId }),
  })
  return String(row.Id)
}
