import { type Findings, quoted, unique } from '@diorama/twin-kit/kernel/findings'
import type { CheckContext } from '@diorama/twin-kit/kernel/manifest'
import type { StubSection, StubService } from './section.ts'
import { collectionAt, isDocument, placesOf, routesOf } from './shapes/document.ts'
import type { Json } from './shapes/json.ts'
import { entriesOf, exchangeOf } from './shapes/recording.ts'

const maxDocumentCharacters = 1_048_576
const maxEntries = 2_000
const maxOperations = 2_000

export const check = ({ services }: StubSection, { findings }: CheckContext): void => {
  unique(
    findings,
    services.map(({ name }, n) => ({ name, pointer: `/services/${n}/name` })),
    'name',
  )
  unique(
    findings,
    services.flatMap(({ records }, n) =>
      records.map(({ key }, r) => ({ name: key, pointer: `/services/${n}/records/${r}/key` })),
    ),
    'key',
  )
  services.forEach((service, n) => checkService(service, `/services/${n}`, findings))
}

const checkService = (service: StubService, at: string, findings: Findings): void => {
  const { openapi, har } = service
  if ((openapi === null) === (har === null)) {
    findings.error(at, 'must have either openapi or har')
    return
  }
  const [field, document] = openapi ? (['openapi', openapi] as const) : (['har', har ?? {}] as const)
  if (JSON.stringify(document).length > maxDocumentCharacters)
    findings.error(`${at}/${field}`, 'must have at most 1 MiB of JSON')
  else if (openapi) checkDocument(service, openapi, at, findings)
  else checkRecording(service, har ?? {}, at, findings)
}

const checkDocument = ({ records }: StubService, document: Json, at: string, findings: Findings): void => {
  if (!isDocument(document)) {
    findings.error(`${at}/openapi`, 'must be an OpenAPI 3 document, with openapi: 3.x and paths')
    return
  }
  if (placesOf(document).length === 0)
    findings.error(`${at}/openapi/servers`, 'must name an absolute address, whose host leads to the twin')
  const routes = routesOf(document)
  if (routes.length === 0 || routes.length > maxOperations)
    findings.error(
      `${at}/openapi/paths`,
      `must have 1 to ${maxOperations} operations; it has ${routes.length}`,
    )
  const seen = records.map(({ path, value }, n) => {
    const place = `${at}/records/${n}`
    const collection = collectionAt(routes, path)
    if (!collection) {
      findings.error(`${place}/path`, `names no collection of the document: ${quoted(path)}`)
      return { name: null, pointer: place }
    }
    const id = value[collection.idField]
    if (typeof id === 'string' || typeof id === 'number')
      return { name: `${path}/${id}`, pointer: `${place}/value/${collection.idField}` }
    findings.error(`${place}/value/${collection.idField}`, 'must be a text or a number')
    return { name: null, pointer: place }
  })
  unique(findings, seen, 'record')
}

const checkRecording = ({ records }: StubService, har: Json, at: string, findings: Findings): void => {
  const entries = entriesOf(har)
  if (entries.length === 0 || entries.length > maxEntries)
    findings.error(`${at}/har/log/entries`, `must have 1 to ${maxEntries} entries; it has ${entries.length}`)
  else
    entries.forEach((entry, n) => {
      const found = exchangeOf(entry)
      if ('field' in found) findings.error(`${at}/har/log/entries/${n}${found.field}`, found.message)
    })
  if (records.length > 0) findings.error(`${at}/records`, 'must be empty: a recording has no collections')
}
