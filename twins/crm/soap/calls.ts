import { type Session, VendorError } from '@diorama/twin-kit/kernel/twin'
import { nativeMoment } from '../dates.ts'
import type { Converted } from '../operations/leads.ts'
import type { Upserted } from '../operations/records.ts'
import type { CrmTables } from '../tables.ts'
import { userInfoOf } from './user.ts'
import { all, type Element, find, textIn } from './xml.ts'

export interface SoapCall {
  readonly method: Element
  readonly document: Element
  readonly session: Session<CrmTables>
  readonly version: string
}

const maxItems = 200

/** Processes each item separately; a failure is one of the results. */
const each = (
  { document, session }: SoapCall,
  items: readonly Element[],
  work: (item: Element) => Record<string, unknown>,
): unknown[] => {
  if (items.length > maxItems)
    throw new VendorError(
      'EXCEEDED_ID_LIMIT',
      `record limit reached. cannot submit more than ${maxItems} records into this call`,
    )
  const allOrNone = textIn(find(document, 'Header', 'AllOrNoneHeader'), 'allOrNone') === 'true'
  const attempt = (): Record<string, unknown>[] =>
    items.map((item) => {
      try {
        return { ...work(item), success: true }
      } catch (error) {
        if (!(error instanceof VendorError)) throw error
        const fields = Array.isArray(error.data.fields) ? error.data.fields : []
        return {
          errors: { fields, message: error.message, statusCode: error.code },
          id: null,
          success: false,
        }
      }
    })
  if (!allOrNone) return attempt()
  let results: Record<string, unknown>[] = []
  try {
    session.atomic(() => {
      results = attempt()
      if (results.some(({ success }) => success !== true)) throw new RolledBack()
    })
    return results
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    return results.map((one) =>
      one.success === true
        ? {
            errors: {
              message:
                'Record rolled back because not all records were valid and the request was using AllOrNone header',
              statusCode: 'ALL_OR_NONE_OPERATION_ROLLED_BACK',
            },
            id: null,
            success: false,
          }
        : one,
    )
  }
}

class RolledBack extends Error {}

/** A record: its type, its fields as text, and the names of those to be emptied. */
const recordOf = (element: Element): { type: string; id: string; fields: Record<string, unknown> } => {
  const fields: Record<string, unknown> = {}
  for (const child of element.children) {
    if (child.name === 'type' || child.name === 'Id') continue
    if (child.name === 'fieldsToNull') fields[child.text.trim()] = null
    else fields[child.name] = child.attributes.nil === 'true' ? null : child.text
  }
  return {
    type: textIn(element, 'type') ?? element.attributes.type?.replace(/^.*:/, '') ?? '',
    id: textIn(element, 'Id') ?? '',
    fields,
  }
}

const flag = (element: Element, name: string): boolean => textIn(element, name) === 'true'
const optional = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined || value === '' ? {} : { [name]: value }

const recordCalls: Readonly<Record<string, (call: SoapCall) => unknown>> = {
  create: (call) =>
    each(call, all(call.method, 'sObjects'), (one) => {
      const { type, fields } = recordOf(one)
      return { id: call.session.call<string>('create', { object: type, fields, allowDuplicates: true }) }
    }),
  update: (call) =>
    each(call, all(call.method, 'sObjects'), (one) => {
      const { type, id, fields } = recordOf(one)
      return { id: call.session.call<string>('update', { object: type, id, fields }) }
    }),
  upsert: (call) =>
    each(call, all(call.method, 'sObjects'), (one) => {
      const { type, id, fields } = recordOf(one)
      const external = textIn(call.method, 'externalIDFieldName') ?? 'Id'
      const { [external]: value, ...rest } = fields
      const given = external === 'Id' ? id : value === undefined || value === null ? null : String(value)
      const done = call.session.call<Upserted>('upsert', {
        object: type,
        externalField: external,
        value: given,
        fields: rest,
        allowDuplicates: true,
      })
      return { created: done.created, id: done.id }
    }),
  delete: (call) =>
    each(call, all(call.method, 'ids'), ({ text }) => ({
      id: call.session.call<string>('delete', { id: text.trim() }),
    })),
  undelete: (call) =>
    each(call, all(call.method, 'ids'), ({ text }) => ({
      id: call.session.call<string>('undelete', { id: text.trim() }),
    })),
  emptyRecycleBin: (call) =>
    each(call, all(call.method, 'ids'), ({ text }) => ({
      id: call.session.call<string>('emptyRecycleBin', { id: text.trim() }),
    })),
}

export const soapCalls: Readonly<Record<string, (call: SoapCall) => unknown>> = {
  logout: ({ session }) => {
    session.call('logout', { subject: session.actor?.subject ?? '' })
    return undefined
  },
  getServerTimestamp: ({ session }) => ({ timestamp: nativeMoment(session.now).replace('+0000', 'Z') }),
  getUserInfo: ({ session }) => userInfoOf(session, session.actor?.id ?? ''),
  convertLead: (call) =>
    each(call, all(call.method, 'leadConverts'), (one) => {
      const { leadId, accountId, contactId, opportunityId } = call.session.call<Converted>('convertLead', {
        leadId: textIn(one, 'leadId') ?? '',
        convertedStatus: textIn(one, 'convertedStatus') ?? '',
        ...optional('accountId', textIn(one, 'accountId')),
        ...optional('contactId', textIn(one, 'contactId')),
        ...optional('ownerId', textIn(one, 'ownerId')),
        ...optional('opportunityId', textIn(one, 'opportunityId')),
        ...optional('opportunityName', textIn(one, 'opportunityName')),
        doNotCreateOpportunity: flag(one, 'doNotCreateOpportunity'),
        overwriteLeadSource: flag(one, 'overwriteLeadSource'),
      })
      return { accountId, contactId, leadId, opportunityId: opportunityId ?? null }
    }),
  sendEmail: (call) =>
    each(call, all(call.method, 'messages'), (one) => {
      const html = textIn(one, 'htmlBody')
      const about = textIn(one, 'whatId')
      call.session.call('sendEmail', {
        to: all(one, 'toAddresses').map(({ text }) => text.trim()),
        subject: textIn(one, 'subject') ?? '',
        body: html ?? textIn(one, 'plainTextBody') ?? '',
        isHtml: html !== undefined,
        log: flag(one, 'saveAsActivity'),
        ...(about ? { relatedTo: about } : {}),
      })
      return {}
    }),
  merge: (call) =>
    each(call, [...all(call.method, 'request'), ...all(call.method, 'mergeRequests')], (one) => {
      const master = find(one, 'masterRecord')
      const { type, id, fields } = recordOf(master ?? one)
      const { mergedIds, movedIds } = call.session.call<{ mergedIds: string[]; movedIds: string[] }>(
        'merge',
        {
          object: type,
          masterId: id,
          fields,
          mergedIds: all(one, 'recordToMergeIds').map(({ text }) => text.trim()),
        },
      )
      return { id, mergedRecordIds: mergedIds, updatedRelatedIds: movedIds }
    }),
  ...recordCalls,
}
