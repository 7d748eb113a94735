import { kindSpellings } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'
import type { SourceFile } from '@diorama/twin-kit/datasets/dataset'
import { jsonValues } from '@diorama/twin-kit/datasets/json-values'
import { LongPiece, linesOf } from '@diorama/twin-kit/datasets/lines'
import { ApiError } from '../../http/api-error.ts'
import { datasetFault, type Faults, type Place } from '../faults.ts'
import type { RawRows } from './raw-rows.ts'

/** Where the rows of our own form go. */
export interface OwnFormSink {
  readonly rows: RawRows
  readonly faults: Faults
  readonly company: (value: unknown, place: Place) => void
}

const kindOf = (service: string): string => kindSpellings[service] ?? service

/** One JSON object a line: `{"company": …}` once, and `{"service", "collection", "row"}` for every row. */
export const readNdjson = async (
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  { rows, faults, company }: OwnFormSink,
): Promise<void> => {
  let number = 0
  await readable({ file }, async () => {
    for await (const line of linesOf(chunks)) {
      number++
      if (line.trim() === '') continue
      const place = { file, row: number }
      const value = parsed(line, place, faults)
      if (value === undefined) continue
      if ('company' in value) company(value.company, place)
      else if (typeof value.service !== 'string')
        faults.add({ ...place, field: 'service' }, 'must be the name of a service')
      else if (typeof value.collection !== 'string')
        faults.add({ ...place, field: 'collection' }, 'must be the name of a collection')
      else await rows.put(kindOf(value.service), value.collection, value.row, place)
    }
  })
}

/** One document: `{"company": …, "twins": {service: {collection: [rows]}}}`. */
export const readJson = async (
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  { rows, faults, company }: OwnFormSink,
): Promise<void> => {
  const isRow = (path: readonly unknown[]) => path.length === 4 && path[0] === 'twins'
  await readable({ file }, async () => {
    const wanted = jsonValues(chunks, (path) => isRow(path) || (path.length === 1 && path[0] === 'company'))
    for await (const { path, text } of wanted) {
      const [, service, collection, n] = path
      const place =
        path.length === 1
          ? { file, field: 'company' }
          : { file: `${file}/twins/${service}/${collection}`, row: Number(n) + 1 }
      const value = parsed(text, place, faults)
      if (value === undefined) continue
      if (path.length === 1) company(value, place)
      else await rows.put(kindOf(String(service)), String(collection), value, place)
    }
  })
}

/** A folder for each service with a file for each collection, and `company.json` beside them. */
export const readFolder = async (files: readonly SourceFile[], sink: OwnFormSink): Promise<void> => {
  const base = commonFolder(files)
  for (const file of files) {
    const name = file.name.slice(base.length)
    if (name === 'company.json') await readCompany(file, name, sink)
    else if (/^[^/]+\/[^/]+\.(ndjson|jsonl|json)$/.test(name)) await readCollection(file, name, sink)
    else if (!isClutter(name))
      sink.faults.add({ file: name }, 'is neither company.json nor service/collection.ndjson')
  }
}

/** A zip of a folder holds the folder; what is inside counts. */
const commonFolder = (files: readonly SourceFile[]): string => {
  const company = files.find(({ name }) => name === 'company.json' || name.endsWith('/company.json'))
  return company ? company.name.slice(0, -'company.json'.length) : ''
}

const isClutter = (name: string): boolean => /(^|\/)(\.|__MACOSX\/|Thumbs\.db|README)/.test(name)

const readCompany = async (file: SourceFile, name: string, { company }: OwnFormSink): Promise<void> => {
  let text = ''
  await readable({ file: name }, async () => {
    for await (const line of linesOf(file.chunks())) text += `${line}\n`
    company(JSON.parse(text), { file: name })
  })
}

const readCollection = async (file: SourceFile, name: string, sink: OwnFormSink): Promise<void> => {
  const [service = '', last = ''] = name.split('/')
  const collection = last.replace(/\.(ndjson|jsonl|json)$/, '')
  const put = async (text: string, row: number) => {
    const place = { file: name, row }
    const value = parsed(text, place, sink.faults)
    if (value !== undefined) await sink.rows.put(kindOf(service), collection, value, place)
  }
  await readable({ file: name }, async () => {
    let row = 0
    if (name.endsWith('.json'))
      for await (const { text } of jsonValues(file.chunks(), (path) => path.length === 1))
        await put(text, ++row)
    else
      for await (const line of linesOf(file.chunks())) if (++row && line.trim() !== '') await put(line, row)
  })
}

const parsed = (text: string, place: Place, faults: Faults): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
    faults.add(place, 'is no object')
  } catch {
    faults.add(place, 'is no JSON')
  }
  return undefined
}

/** What makes a file unreadable as a whole is a fault of that file. */
export const readable = async (place: Place, read: () => Promise<void>): Promise<void> => {
  try {
    await read()
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof LongPiece || error instanceof SyntaxError) throw datasetFault(place, error.message)
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw datasetFault(place, 'is no UTF-8')
    throw error
  }
}
