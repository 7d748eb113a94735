import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DatasetCompany } from '@diorama/contract'
import type { DatasetReader, DatasetSource, Reading } from '@diorama/twin-kit/datasets/dataset'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Kysely } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { Registry } from '../twins/registry.ts'
import { saveSeedText } from '../twins/seeds/seed-parts.ts'
import type { TwinTables } from '../twins/tables.ts'
import { type CompanyBuilder, createCompanyBuilder, kernelCompany, type SaidCompany } from './company.ts'
import { createFaults, type Faults } from './faults.ts'
import { type CompiledService, compileService } from './intake/compile.ts'
import { readable, readFolder, readJson, readNdjson } from './intake/own-form.ts'
import { createPseudonyms, type Pseudonyms } from './intake/pseudonyms.ts'
import { createRawRows, type RawRows } from './intake/raw-rows.ts'
import { createSpill } from './intake/spill.ts'
import { openSqlite } from './sources/sqlite.ts'
import { openZip } from './sources/zip.ts'
import type { DatasetService, DatasetStore, DatasetVersionRow } from './store.ts'
import type { DatasetTables } from './tables.ts'

export interface ImportDeps {
  readonly db: Kysely<DatasetTables & TwinTables>
  readonly store: DatasetStore
  readonly registry: Registry
  /** Where uploads wait while they are read. */
  readonly folder: string
  readonly maxBytes: number
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export interface ImportOrder extends SaidCompany {
  readonly caller: Caller
  readonly name: string
  readonly description?: string | undefined
  readonly format: string
  readonly onto?: string | undefined
  readonly pseudonymize?: boolean | undefined
  readonly contentType: string
  readonly body: Readable
}

interface Intake {
  readonly order: ImportOrder
  readonly folder: string
  readonly faults: Faults
  readonly raw: RawRows
  readonly company: CompanyBuilder
  readonly warnings: string[]
}

const maxWarnings = 100

/** Takes an upload in, whole or not at all: until its last row has been checked, nothing of it is in the database. */
export const importDataset = async (deps: ImportDeps, order: ImportOrder): Promise<DatasetVersionRow> => {
  const base = order.onto === undefined ? undefined : await baseVersion(deps, order, order.onto)
  const reader = order.format === 'rows' ? undefined : readerFor(deps.registry, order.format)
  await mkdir(deps.folder, { recursive: true })
  const folder = await mkdtemp(join(deps.folder, 'import-'))
  try {
    const faults = createFaults()
    const intake: Intake = {
      order,
      folder,
      faults,
      raw: createRawRows(folder, faults),
      company: createCompanyBuilder(order, base?.company as DatasetCompany | undefined, faults),
      warnings: [],
    }
    if (reader) await readWith(deps, intake, reader)
    else await readOwnForm(deps, intake)
    const found = intake.company.finish()
    faults.check()
    if (!found) throw new Error('a company without faults is there')
    const pseudonyms = order.pseudonymize ? await learnNames(deps, intake) : undefined
    const company = pseudonyms ? pseudonyms.company(found) : found
    const services = await compileAll(deps, intake, { company, pseudonyms })
    faults.check()
    return await publish(deps, intake, { company, services, base, pseudonyms: pseudonyms?.report() ?? null })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const baseVersion = async ({ store }: ImportDeps, { caller }: ImportOrder, id: string) => {
  const version = await store.version(caller.organizationId, id)
  if (!version) throw notFound('dataset version')
  return version
}

/** Every form that a twin can read, by its name. */
export const readersOf = (registry: Registry): { kind: string; reader: DatasetReader }[] =>
  registry.models.flatMap(({ twin }) =>
    (twin.dataset?.readers ?? []).map((reader) => ({ kind: twin.kind, reader })),
  )

const readerFor = (registry: Registry, format: string) => {
  const found = readersOf(registry).find(({ reader }) => reader.format === format)
  if (found) return found
  const known = readersOf(registry).map(({ reader }) => reader.format)
  const message = `is no form of data that can be read; use one of rows, ${known.join(', ')}`
  throw new ApiError('invalid_reference', `/query/format ${message}.`, {
    details: [{ pointer: '/query/format', message }],
  })
}

const typeOf = ({ contentType }: ImportOrder): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

const readOwnForm = async (deps: ImportDeps, intake: Intake): Promise<void> => {
  const sink = { rows: intake.raw, faults: intake.faults, company: intake.company.given }
  const body = bounded(intake.order.body, deps.maxBytes)
  const type = typeOf(intake.order)
  if (type === 'application/json') return readJson(body, 'dataset.json', sink)
  if (type !== 'application/zip' && type !== 'application/octet-stream')
    return readNdjson(body, 'dataset.ndjson', sink)
  const path = await spool(body, intake.folder)
  const archive = await openZip(path, 'dataset.zip', deps.maxBytes)
  try {
    await readFolder(archive.files, sink)
  } finally {
    await archive.close()
  }
}

const readWith = async (
  deps: ImportDeps,
  intake: Intake,
  { kind, reader }: { kind: string; reader: DatasetReader },
): Promise<void> => {
  const path = await spool(bounded(intake.order.body, deps.maxBytes), intake.folder)
  const source = await openSource(deps, path, reader, typeOf(intake.order))
  try {
    const reading: Reading = {
      insert: (collection, row, place) => intake.raw.put(kind, collection, row, place),
      fault: intake.faults.add,
      warn: warnInto(intake.warnings),
      company: intake.company.found,
      actsAs: intake.company.actsAs(),
      digest: (...parts) => sha256(JSON.stringify([kind, ...parts])),
    }
    await readable({ file: 'upload' }, () => reader.read(source, reading))
  } finally {
    await source.close()
  }
}

const warnInto = (warnings: string[]) => (message: string) => {
  if (warnings.length < maxWarnings) warnings.push(message)
}

const openSource = async (
  deps: ImportDeps,
  path: string,
  reader: DatasetReader,
  type: string,
): Promise<DatasetSource & { close: () => Promise<void> }> => {
  if (reader.takes === 'tables') {
    const { tables, close } = await openSqlite(path, 'upload.sqlite')
    return { files: [], tables, close: async () => close() }
  }
  if (await isZip(path)) {
    const { files, close } = await openZip(path, 'upload.zip', deps.maxBytes)
    return { files, tables: [], close }
  }
  const name = type === 'text/csv' ? 'upload.csv' : 'upload.json'
  const file = { name, size: 0, chunks: () => createReadStream(path) }
  return { files: [file], tables: [], close: async () => {} }
}

const isZip = async (path: string): Promise<boolean> => {
  for await (const chunk of createReadStream(path, { end: 3 })) {
    const bytes = chunk as Buffer
    return bytes.length >= 4 && bytes.readUInt16LE(0) === 0x4b50
  }
  return false
}

const spool = async (body: AsyncIterable<Uint8Array>, folder: string): Promise<string> => {
  const path = join(folder, 'upload')
  await pipeline(body, createWriteStream(path))
  return path
}

async function* bounded(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw new ApiError('too_large', `A dataset may have at most ${maxBytes} bytes.`)
    yield chunk
  }
}

/** One dataset has one key: what is imported into it later gets the same pseudonyms. */
const learnNames = async ({ registry }: ImportDeps, { order, raw }: Intake): Promise<Pseudonyms> => {
  const pseudonyms = createPseudonyms(`${order.caller.organizationId} ${order.name}`)
  for (const service of raw.services()) {
    const twin = registry.find(service)?.twin
    if (twin) await pseudonyms.learn(twin, raw)
  }
  return pseudonyms
}

const compileAll = async (
  { registry }: ImportDeps,
  { raw, faults, folder, warnings }: Intake,
  { company, pseudonyms }: { company: DatasetCompany; pseudonyms: Pseudonyms | undefined },
): Promise<CompiledService[]> => {
  const checked = createSpill(folder, 'checked')
  const groups = createSpill(folder, 'groups')
  const compiled: CompiledService[] = []
  for (const service of raw.services().toSorted()) {
    const twin = registry.find(service)?.twin
    if (!twin) faults.add({ file: service }, 'is no service')
    else
      compiled.push(
        await compileService({
          ...{ twin, raw, faults, checked, groups },
          company: kernelCompany(company),
          warn: warnInto(warnings),
          veil: pseudonyms?.veil,
        }),
      )
  }
  return compiled
}

const publish = async (
  { db, store, registry, makeId, now }: ImportDeps,
  { order, warnings }: Intake,
  {
    company,
    services,
    base,
    pseudonyms,
  }: {
    company: DatasetCompany
    services: readonly CompiledService[]
    base: DatasetVersionRow | undefined
    pseudonyms: Record<string, number> | null
  },
): Promise<DatasetVersionRow> => {
  if (services.length === 0 && !base)
    throw new ApiError('invalid_dataset', 'The data does not fit: it has no rows of any service.')
  const order_ = registry.models.map(({ twin }) => twin.kind)
  return db.transaction().execute(async (trx) => {
    const made: DatasetService[] = []
    for (const { text, entityCount, collections } of services) {
      const seed = await saveSeedText(text, entityCount, trx)
      made.push({
        service: text.kind,
        entity_count: entityCount,
        seed_sha256: seed,
        collections: [...collections],
      })
    }
    const kept = (base?.services ?? []).filter(({ service }) => !made.some((one) => one.service === service))
    const all = [...made, ...kept].sort((a, b) => order_.indexOf(a.service) - order_.indexOf(b.service))
    return store.publish(
      {
        ...{ id: makeId('dsv'), datasetId: makeId('dst'), at: new Date(now()) },
        organizationId: order.caller.organizationId,
        createdBy: order.caller.keyId,
        ...{ name: order.name, description: order.description, company, services: all, warnings },
        source: { kind: 'import', format: order.format, world_id: null },
        pseudonyms,
      },
      trx,
    )
  })
}
