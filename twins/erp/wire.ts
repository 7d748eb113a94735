import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { createBudget } from '@diorama/twin-kit/wires/odata/budget'
import { type Answer, type Context, formatOf } from '@diorama/twin-kit/wires/odata/context'
import { perform } from '@diorama/twin-kit/wires/odata/service'
import { actor, credentialOf, principalOf } from './actor.ts'
import type { Service } from './catalogue/catalogue.ts'
import { businessServices, catalogue } from './catalogue/services.ts'
import { guardOf } from './gateway/guard.ts'
import { recordMissing } from './gateway/missing.ts'
import { tokenEndpoint } from './gateway/token-endpoint.ts'
import { wireV4 } from './gateway/wire-v4.ts'
import { operations } from './operations/index.ts'
import { complaintOf, errorAnswer, noticeHeaders } from './shapes/error.ts'
import {
  batchNeedsToken,
  forged,
  missingNode,
  native,
  unauthorized,
  unknownService,
} from './shapes/replies.ts'
import type { ErpTables } from './tables.ts'

type ErpSession = Session<ErpTables>

const root =
  /^((?:\/s4hanacloud)?\/(?:sap|erp)\/opu\/odata\/(?:(sap|erp|iwfnd)\/)?([^/;]+)((?:;[^/]*)?))(\/.*)?$/i

/** Answers a request to the Gateway. */
export const wire = (request: TwinRequest, session: ErpSession): TwinReply => {
  const token = tokenEndpoint(request, session)
  if (token) return token
  const principal = principalOf(session, credentialOf(request.headers))
  if (!principal) return unauthorized()
  session.authenticate(actor(principal.subject, session.views))
  const guard = guardOf(request, session, principal)
  const v4 = wireV4(request, session, guard)
  if (v4) return guard.headed(v4)
  const match = root.exec(request.path)
  if (!match) return unknownPath(request, session)
  const [, rootPath = '', namespace = '', name = '', parameters = '', path = '/'] = match
  const service = serviceNamed(namespace, name)
  if (!service)
    return guard.headed(
      unknownService(session, { name, parameters, format: formatFor(request), trace: request.path }),
    )
  const isBatch = /^\/\$batch\/?$/.test(path)
  if (!guard.reads && !isBatch && !guard.passes()) return forged()
  const place = { service, now: session.now, trace: `${request.method} ${request.path}?${request.query}` }
  const context: Context = {
    service,
    session,
    budget: createBudget(),
    root: `${request.baseUrl}${rootPath}`,
    rootPath,
    origin: request.baseUrl,
    refuse: (refusal, format) => {
      recordMissing(refusal, session, service.name)
      return errorAnswer(complaintOf(refusal), format, place)
    },
    noticeHeaders,
    implemented: (operation) => operation in operations,
    beforeChanges: () => {
      if (!guard.passes()) throw new VendorError('/IWFND/CM_MGW/098', batchNeedsToken, { status: 403 })
    },
  }
  return guard.headed(native(answered(request, path, context)))
}

/** A part of the server that is no service, such as another protocol. */
const unknownPath = ({ path }: TwinRequest, session: ErpSession): TwinReply => {
  if (/^\/(?:sap|erp)\//i.test(path))
    session.notEmulated(`path ${path.split('/').slice(0, 5).join('/').slice(0, 80)}`)
  return missingNode()
}

const serviceNamed = (namespace: string, name: string): Service | undefined => {
  if (/^iwfnd$/i.test(namespace)) return /^catalogservice$/i.test(name) ? catalogue : undefined
  if (namespace === '') return undefined
  return businessServices.find((service) => service.name === name.toUpperCase())
}

const answered = (request: TwinRequest, path: string, context: Context): Answer => {
  try {
    return perform({ ...request, path }, context)
  } catch (error) {
    if (error instanceof VendorError) return context.refuse(error, formatFor(request))
    throw error
  }
}

const formatFor = (request: TwinRequest) => {
  const format = /(?:^|&)(?:\$|%24)format=([^&]*)/i.exec(request.query)?.[1]
  return formatOf(format, request.headers.accept)
}
