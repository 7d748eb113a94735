import { type Fault, integration, type Twin, type TwinReply } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import type { EdmRow, Property } from '@diorama/twin-kit/wires/odata/model'
import { complete } from '@diorama/twin-kit/wires/odata/values/values'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { raiseEvents } from './events/raise.ts'
import { erpControls, eventChannel } from './events/webhooks.ts'
import { erp as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { acts } from './moving/acts.ts'
import { operations } from './operations/index.ts'
import type { ErpSection } from './section.ts'
import { integrationUser, seed } from './seed.ts'
import { allServices } from './services.ts'
import { errorAnswer } from './shapes/error.ts'
import { unauthorized } from './shapes/replies.ts'
import { type ErpTables, tables } from './tables.ts'
import { wire } from './wire.ts'

const properties: ReadonlyMap<string, readonly Property[]> = new Map(
  allServices.flatMap((service) =>
    [...service.sets.values()].map(({ collection, type }) => [collection, type.properties] as const),
  ),
)

const faults: Readonly<
  Record<Exclude<Fault['kind'], 'unauthorized'>, readonly [status: number, code: string, text: string]>
> = {
  not_found: [404, '/IWFND/CM_MGW/002', 'Resource not found'],
  rate_limited: [429, '/IWFND/CM_MGW/429', 'Too many requests'],
  internal: [500, '/IWFND/CM_BEC/026', 'Internal error while processing the request'],
  unavailable: [503, '/IWFND/CM_MGW/503', 'The service is temporarily not available'],
  too_large: [413, '/IWFND/CM_MGW/413', 'The request entity is too large'],
}

const faulty = (fault: Fault, trace: string): TwinReply => {
  if (fault.kind === 'unauthorized') return unauthorized()
  const [status, code, text] = faults[fault.kind]
  const complaint = { code, text, status, business: false, target: '' }
  const { headers, body } = errorAnswer(complaint, 'json', { service: undefined, now: 0, trace })
  const retry = 'retryAfterSeconds' in fault ? { 'retry-after': String(fault.retryAfterSeconds) } : {}
  return { status, headers: { ...headers, ...retry }, body }
}

/** SAP S/4HANA's OData v2 services for sales orders and business partners, as the Gateway speaks them. */
const twin: Twin<ErpSection, ErpTables> = {
  ...manifest,
  clients,
  tables,
  seed,
  operations,
  coverage,
  afterStep: raiseEvents,
  channels: { events: eventChannel },
  controls: erpControls,
  acts,
  token: (_subject, secret) => secret,
  identities: (views) =>
    [...(views.user?.all() ?? [])].map(({ id, handle, name, email }) => ({
      subject: id === integrationUser ? integration : String(handle),
      nativeId: id,
      name: String(name),
      email: String(email),
    })),
  wire,
  fault: (fault, request) => faulty(fault, `${request.method} ${request.path}`),
  present: (collection, row) => {
    const known = properties.get(collection)
    return known && isRow(row) ? complete(known, row) : row
  },
}

const isRow = (row: unknown): row is EdmRow => typeof row === 'object' && row !== null && 'id' in row

export const erp = withMcp(twin, face)
