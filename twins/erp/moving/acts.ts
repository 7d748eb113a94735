import type { Act, Acts } from '@diorama/twin-kit/kernel/twin'
import { csrfToken, openSession, tokenHeader } from '@diorama/twin-kit/wires/odata/csrf'
import { entityPath } from '@diorama/twin-kit/wires/odata/formats/links'
import type { EdmRow, EdmValue, EntitySet, FunctionImport } from '@diorama/twin-kit/wires/odata/model'
import { uriLiteral } from '@diorama/twin-kit/wires/odata/values/values'
import { businessServices } from '../catalogue/services.ts'
import { sessionCookie } from '../gateway/guard.ts'
import { operations } from '../operations/index.ts'
import type { ErpTables } from '../tables.ts'

/**
 * People act by the names of entity sets and function imports, as the ledger records them: `PATCH A_SalesOrder`. The
 * input is the entity, with its keys where one is changed or deleted, or the parameters of the function.
 */
export const acts: Acts<ErpTables> = {
  knows: (operation) => operation in operations && targetOf(operation) !== undefined,
  request: (act) => {
    const target = targetOf(act.operation)
    const session = openSession(act, act.now)
    return {
      ...(target ? requestTo(target, act) : nowhere),
      headers: {
        authorization: `Bearer ${act.token}`,
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: `${sessionCookie}=${session}`,
        [tokenHeader]: csrfToken(session, act),
        ...(target?.method === 'POST' ? {} : { 'if-match': '*' }),
      },
    }
  },
}

interface Target {
  readonly root: string
  readonly method: string
  readonly set?: EntitySet
  readonly called?: FunctionImport
}

const nowhere = { method: 'GET', path: '/', query: '', body: new Uint8Array() }

const targetOf = (operation: string): Target | undefined => {
  const [method = '', name = ''] = operation.split(' ', 2)
  for (const service of businessServices) {
    const root = `/sap/opu/odata/sap/${service.name}`
    const set = service.sets.get(name)
    if (set) return { root, method, set }
    for (const called of service.functions.values())
      if (called.operation === operation) return { root, method: called.method, called }
  }
  return undefined
}

const requestTo = ({ root, method, set, called }: Target, { input }: Act) => {
  if (called) {
    const query = called.parameters
      .filter(({ name }) => input[name] !== undefined)
      .map((property) => `${property.name}=${uriLiteral(property, input[property.name] as EdmValue)}`)
    return { method, path: `${root}/${called.name}`, query: query.join('&'), body: new Uint8Array() }
  }
  const below = method === 'POST' && set ? createdBelow[set.name] : undefined
  if (below)
    return {
      method,
      path: `${root}/${below.set}('${encodeURIComponent(String(input[below.key] ?? ''))}')/${below.to}`,
      query: '',
      body: bodyOf(Object.fromEntries(Object.entries(input).filter(([name]) => name !== below.key))),
    }
  if (!set || method === 'POST')
    return { method, path: `${root}/${set?.name ?? ''}`, query: '', body: bodyOf(input) }
  const keys = new Set(set.type.keys)
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !keys.has(name)))
  return {
    method,
    path: `${root}/${entityPath(set, { id: '', ...input } as EdmRow)}`,
    query: '',
    body: method === 'DELETE' || method === 'GET' ? new Uint8Array() : bodyOf(rest),
  }
}

/** Sets whose entities are created through the one that they belong to. */
const createdBelow: Readonly<Record<string, { set: string; key: string; to: string }>> = {
  A_SalesOrderText: { set: 'A_SalesOrder', key: 'SalesOrder', to: 'to_Text' },
}

const bodyOf = (input: unknown): Uint8Array => Buffer.from(JSON.stringify(input))
