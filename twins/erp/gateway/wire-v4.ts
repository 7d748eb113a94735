import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Answer } from '@diorama/twin-kit/wires/odata/context'
import { performV4 } from '@diorama/twin-kit/wires/odata/v4/service'
import { complaintOf } from '../shapes/error.ts'
import { forged, native } from '../shapes/replies.ts'
import type { ErpTables } from '../tables.ts'
import { billingV4 } from './billing-v4.ts'
import type { Guard } from './guard.ts'
import { recordMissing } from './missing.ts'

const root =
  /^((?:\/s4hanacloud)?\/(?:sap|erp)\/opu\/odata4\/sap\/([\w-]{1,80})\/(?:srvd|srvd_a2x|default)\/sap\/([\w-]{1,80})\/(\d{4}))(\/.*)?$/i

const services = new Map([['api_billingdocument/billingdocument', billingV4]])

/** Answers a request to a service of version 4; undefined where the path is none. */
export const wireV4 = (
  request: TwinRequest,
  session: Session<ErpTables>,
  guard: Guard,
): TwinReply | undefined => {
  if (!/^(?:\/s4hanacloud)?\/(?:sap|erp)\/opu\/odata4\//i.test(request.path)) return undefined
  const [, , group = '', name = '', , path = '/'] = root.exec(request.path) ?? []
  const service = services.get(`${group}/${name}`.toLowerCase())
  if (!service) return native(unknownService(request, session, name || group))
  if (!guard.reads && !guard.passes()) return forged()
  try {
    return native(performV4({ ...request, path }, service, session))
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    recordMissing(error, session, name)
    return native(errorV4(error, request, session))
  }
}

const unknownService = (request: TwinRequest, session: Session<ErpTables>, name: string): Answer => {
  session.notEmulated(`service ${name || request.path.slice(0, 80)}`)
  const text = `Service '${name}' is not published in the requested service group`
  return errorV4(new VendorError('/IWFND/CM_V4_COS/021', text, { status: 404 }), request, session)
}

/** An error in the shape of version 4: its message is plain text. */
const errorV4 = (refusal: VendorError, request: TwinRequest, session: Session<ErpTables>): Answer => {
  const { code, text, status, target, business } = complaintOf(refusal)
  const details = business ? [{ code, message: text, target, '@SAP__common.Severity': 'error' }] : []
  const body = {
    error: {
      code,
      message: text,
      ...(target === '' ? {} : { target }),
      ...(details.length === 0 ? {} : { details }),
      innererror: {
        ErrorDetails: {
          '@SAP__common.Application': { ComponentId: 'SD-BIL-2CL', ServiceRepository: 'SRVD_A2X' },
          '@SAP__common.TransactionId': sha256(`${session.now}:${request.method} ${request.path}`)
            .slice(0, 32)
            .toUpperCase(),
        },
      },
    },
  }
  return {
    status,
    headers: { 'content-type': 'application/json;charset=utf-8', 'odata-version': '4.0' },
    body: JSON.stringify(body),
  }
}
