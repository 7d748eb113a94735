import type { Session, TwinReply } from '@diorama/twin-kit/kernel/twin'
import type { Answer, Format } from '@diorama/twin-kit/wires/odata/context'
import { tokenHeader } from '@diorama/twin-kit/wires/odata/csrf'
import type { ErpTables } from '../tables.ts'
import { errorAnswer } from './error.ts'

/** Answers that the server gives before a service is asked. */

const realm = 'SAP NetWeaver Application Server [S4H/100]'
export const batchNeedsToken = 'X-CSRF token is needed for Batch Processing with modifying operation'

/** Headers that every answer of the Gateway carries. */
export const native = ({ status, headers, body }: Answer): TwinReply => ({
  status,
  headers: {
    ...headers,
    'cache-control': 'no-store, no-cache',
    'sap-metadata-last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'sap-processing-info': 'ODataBEP=,crp=,RAL=,st=,MedCacheHub=SHM,codeployed=X,softstate=',
    'sap-server': 'true',
    ...(status === 403 && body.includes(batchNeedsToken) ? { [tokenHeader]: 'Required' } : {}),
  },
  body,
})

export const forged = (): TwinReply => ({
  status: 403,
  headers: { 'content-type': 'text/plain;charset=utf-8', [tokenHeader]: 'Required' },
  body: 'CSRF token validation failed',
})

export const unauthorized = (): TwinReply => ({
  status: 401,
  headers: { 'content-type': 'text/html;charset=utf-8', 'www-authenticate': `Basic realm="${realm}"` },
  body: page('Logon failed', 'No logon data was provided, or the user or password is wrong.'),
})

export const missingNode = (): TwinReply => ({
  status: 404,
  headers: { 'content-type': 'text/html;charset=utf-8' },
  body: page('Service cannot be reached', 'The resource that you are looking for does not exist.'),
})

const page = (title: string, text: string): string =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`

/** The Gateway does not know a service of version 2. */
export const unknownService = (
  session: Session<ErpTables>,
  { name, parameters, format, trace }: { name: string; parameters: string; format: Format; trace: string },
): TwinReply => {
  const version = /;v=0*(\d{1,4})/i.exec(parameters)?.[1] ?? '1'
  session.notEmulated(`service ${name.slice(0, 60)}`)
  const complaint = {
    code: '/IWFND/MED/170',
    text: `No service found for namespace '', name '${name}', version '${version.padStart(4, '0')}'`,
    status: 403,
    business: false,
    target: '',
  }
  return native(errorAnswer(complaint, format, { service: undefined, now: session.now, trace }))
}
