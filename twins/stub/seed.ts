import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import { matchOf } from './operations/replay.ts'
import type { StubSection, StubService } from './section.ts'
import { collectionAt, type Place, placeOf, placesOf, routesOf } from './shapes/document.ts'
import { segmentsOf } from './shapes/json.ts'
import { entriesOf, exchangeOf } from './shapes/recording.ts'

export const seed = ({ services }: StubSection, company: Company, seeding: Seeding): void => {
  for (const { handle, name, email } of company.people) seeding.insert('person', { id: handle, name, email })
  for (const service of services) {
    if (service.openapi) seedDocument(service, service.openapi, seeding)
    if (service.har) seedRecording(service.name, service.har, seeding)
  }
}

const seedPlaces = (service: string, places: readonly Place[], seeding: Seeding): void => {
  for (const { host, base } of places) {
    const id = `${service} ${host}${base}`
    if (!seeding.get('place', id)) seeding.insert('place', { id, service, host, base })
  }
}

const seedDocument = ({ name, records }: StubService, document: object, seeding: Seeding): void => {
  const openapi = { ...document }
  seedPlaces(name, placesOf(openapi), seeding)
  const routes = routesOf(openapi)
  for (const route of routes)
    seeding.insert('route', {
      ...route,
      id: `${name} ${route.method} ${route.path}`,
      service: name,
      count: segmentsOf(route.path).length,
    })
  for (const { path, key, value } of records) {
    const idField = collectionAt(routes, path)?.idField ?? 'id'
    const collection = `/${segmentsOf(path).join('/')}`
    const record = String(value[idField])
    const id = `${name}:${collection}/${record}`
    seeding.insert('record', { id, service: name, collection, record, value })
    if (key !== null) seeding.key('record', key, id)
  }
}

const seedRecording = (service: string, har: Readonly<Record<string, unknown>>, seeding: Seeding): void => {
  entriesOf(har).forEach((entry, order) => {
    const exchange = exchangeOf(entry)
    if ('field' in exchange) return
    const { method, url, body, status, contentType, reply, isBase64 } = exchange
    seedPlaces(service, placeOf(url.origin), seeding)
    const match = matchOf({ service, method, path: url.pathname, query: url.search.slice(1), body })
    const id = `${service} ${String(order).padStart(4, '0')}`
    seeding.insert('recording', { id, match, order, status, contentType, reply, isBase64 })
  })
}
