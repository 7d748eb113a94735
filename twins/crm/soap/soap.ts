import { type Session, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply } from '@diorama/twin-kit/wires/rest'
import { actor, organizationId, subjectOf } from '../actor.ts'
import { byPassword } from '../api/oauth.ts'
import type { CrmTables } from '../tables.ts'
import { soapCalls } from './calls.ts'
import { soapReads } from './reads.ts'
import { userInfoOf } from './user.ts'
import { type Element, escapeXml, find, readXml, textIn, write } from './xml.ts'

const xml = { 'content-type': 'text/xml; charset=utf-8' }

const envelope = (body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:partner.soap.sforce.com" xmlns:sf="urn:fault.partner.soap.sforce.com" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`

/** The service says every fault of this protocol with a 500. */
export const soapFault = (code: string, message: string): RestReply => ({
  status: 500,
  headers: xml,
  body: envelope(
    `<soapenv:Fault><faultcode>sf:${code}</faultcode><faultstring>${code}: ${escapeXml(message)}</faultstring><detail><sf:UnexpectedErrorFault xsi:type="sf:UnexpectedErrorFault"><sf:exceptionCode>${code}</sf:exceptionCode><sf:exceptionMessage>${escapeXml(message)}</sf:exceptionMessage></sf:UnexpectedErrorFault></detail></soapenv:Fault>`,
  ),
})

const answered = (method: string, result: unknown, before = ''): RestReply => ({
  status: 200,
  headers: xml,
  body: envelope(`${before}<${method}Response>${write('result', result)}</${method}Response>`),
})

/**
 * jsforce finds the server's address by pattern and cuts it at the third slash, since the real service never lives below
 * a path. Where a twin does, the address is repeated in a comment, which only such a client sees, with the path
 * written so that the cut spares it: to the parser of URLs a backslash is a slash.
 */
const hint = (baseUrl: string): string => {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(\/[\w./-]*)$/.exec(baseUrl) ?? []
  return path === '' || path.includes('--')
    ? ''
    : `<!--<serverUrl>${origin}${path.replaceAll('/', '\\')}\\</serverUrl>-->`
}

/** `POST /services/Soap/u/{version}`: one method in a body, a session in the header. */
export const soapWire = (request: TwinRequest, session: Session<CrmTables>, version: string): RestReply => {
  const document = readXml(new TextDecoder().decode(request.body).trim())
  const method = find(document, 'Body')?.children[0]
  if (document?.name !== 'Envelope' || !method)
    return soapFault('UNKNOWN_EXCEPTION', 'the request is not a SOAP envelope with a method in its body')
  session.label(`SOAP ${method.name}`)
  if (method.name === 'login') return login(method, session, version)
  const token = textIn(find(document, 'Header', 'SessionHeader'), 'sessionId') ?? bearer(request)
  const subject = subjectOf(token, session.principals, session.views)
  const caller = subject === undefined ? undefined : actor(subject, session.views)
  if (!caller)
    return soapFault(
      'INVALID_SESSION_ID',
      'Invalid Session ID found in SessionHeader: Illegal Session. Session not found.',
    )
  session.authenticate(caller)
  const call = soapCalls[method.name] ?? soapReads[method.name]
  if (!call) {
    session.notEmulated(`SOAP ${method.name}`)
    return soapFault('INVALID_OPERATION', `the method ${method.name} is not supported`)
  }
  try {
    return answered(method.name, call({ method, document, session, version }))
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return soapFault(error.status === 404 ? 'INVALID_TYPE' : error.code, error.message)
  }
}

const bearer = (request: TwinRequest): string =>
  (request.headers.authorization ?? '').replace(/^(Bearer|OAuth)\s+/i, '')

const login = (method: Element, session: Session<CrmTables>, version: string): RestReply => {
  const found = byPassword(textIn(method, 'username') ?? '', textIn(method, 'password') ?? '', session)
  const caller = found && actor(found.subject, session.views)
  if (!found || !caller)
    return soapFault('INVALID_LOGIN', 'Invalid username, password, security token; or user locked out.')
  session.authenticate(caller)
  session.call('login', { subject: found.subject })
  const organization = organizationId(session.views)
  const short = organization.slice(0, 15)
  const result = {
    metadataServerUrl: `${session.baseUrl}/services/Soap/m/${version}/${short}`,
    passwordExpired: false,
    sandbox: false,
    serverUrl: `${session.baseUrl}/services/Soap/u/${version}/${short}`,
    sessionId: found.token,
    userId: caller.id,
    organizationId: organization,
    userInfo: userInfoOf(session, caller.id),
  }
  return answered('login', result, hint(session.baseUrl))
}
