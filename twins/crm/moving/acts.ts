import type { Acts } from '@diorama/twin-kit/kernel/twin'
import { isRename } from '../operations/renames.ts'
import type { Schema } from '../schema/schema.ts'
import { latestVersion } from '../shapes/describe.ts'
import type { CrmTables } from '../tables.ts'

const methods = ['POST', 'PATCH', 'DELETE', 'GET']

/**
 * People act on records by a method and an object, as the ledger records it: `PATCH Case`. The input is the record's
 * fields, with its Id where one is changed or deleted. An administrator renames fields and options in the setup.
 */
export const actsOf = (standard: Schema): Acts<CrmTables> => ({
  knows: (operation) => {
    const [method = '', object = '', ...more] = operation.split(' ')
    // Custom objects are the blueprint's own.
    const isObject = standard.object(object)?.name === object || /^\w+__c$/.test(object)
    return isRename(operation) || (methods.includes(method) && isObject && more.length === 0)
  },
  control: (operation) => (isRename(operation) ? 'rename' : undefined),
  request: ({ operation, input, token }) => {
    const [method = '', object = ''] = operation.split(' ')
    const { Id: id, ...fields } = input
    const record = method === 'POST' ? '' : `/${encodeURIComponent(String(id ?? ''))}`
    const hasBody = method === 'POST' || method === 'PATCH'
    return {
      method,
      path: `/services/data/v${latestVersion}.0/sobjects/${encodeURIComponent(object)}${record}`,
      query: '',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: hasBody ? Buffer.from(JSON.stringify(fields)) : new Uint8Array(),
    }
  },
  answer: ({ where }, text) =>
    where.ParentId === undefined
      ? undefined
      : { operation: 'POST CaseComment', input: { ParentId: where.ParentId, CommentBody: text } },
})
