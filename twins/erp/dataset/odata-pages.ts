import type { DatasetReader, Reading, SourceFile, SourcePlace } from '@diorama/twin-kit/datasets/dataset'
import { jsonValues } from '@diorama/twin-kit/datasets/json-values'
import { wholeText } from '@diorama/twin-kit/datasets/lines'
import { isRecord } from '@diorama/twin-kit/records'
import { type EdmValues, type EntitySet, type Property, rowId } from '@diorama/twin-kit/wires/odata/model'
import { type Fitted, fromJson, storable } from '@diorama/twin-kit/wires/odata/values/values'
import { parseXml, XmlError } from '@diorama/twin-kit/wires/xml'
import { businessServices } from '../catalogue/services.ts'

type Json = Readonly<Record<string, unknown>>

/** Saved answers of OData services, version 2 or 4: pages of entity sets, with what was expanded in them. */
export const odataPages: DatasetReader = {
  format: 'erp-odata',
  label: 'Saved OData pages (JSON, or a zip of them with $metadata)',
  takes: 'files',
  read: async ({ files }, reading) => {
    const context = createContext(reading)
    for (const file of files) if (isMetadata(file)) await readMetadata(file, context)
    for (const file of files) if (file.name.endsWith('.json')) await readPage(file, context)
    for (const [what, count] of context.leftOut) reading.warn(`${what}: ${count} left out`)
    if (context.latest > 0) reading.company({ latest: context.latest })
  },
}

interface Context {
  readonly reading: Reading
  /** Sets by the names of their entity types, qualified or not, as $metadata and this twin's services name them. */
  readonly setOfType: Map<string, string>
  readonly taken: Set<string>
  /** What the twin does not keep, and how often it came. */
  readonly leftOut: Map<string, number>
  latest: number
}

const sets: ReadonlyMap<string, EntitySet> = new Map(
  businessServices.flatMap((service) => [...service.sets.values()].map((set) => [set.name, set] as const)),
)

const createContext = (reading: Reading): Context => ({
  reading,
  setOfType: new Map([...sets.values()].map(({ name, type }) => [type.name, name])),
  taken: new Set(),
  leftOut: new Map(),
  latest: 0,
})

const isMetadata = ({ name }: SourceFile): boolean => /(metadata[^/]*|\.(xml|edmx))$/i.test(name)

/** Names which entity type belongs to which set; everything else is known from the twin's own services. */
const readMetadata = async (file: SourceFile, { setOfType, reading }: Context): Promise<void> => {
  try {
    const pending = [parseXml(await wholeText(file.chunks()))]
    for (let element = pending.pop(); element; element = pending.pop()) {
      pending.push(...element.children)
      const { Name: name, EntityType: type } = element.attributes
      if (element.name !== 'EntitySet' || name === undefined || type === undefined) continue
      setOfType.set(type, name)
      setOfType.set(type.split('.').at(-1) ?? type, name)
    }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    reading.fault({ file: file.name }, `is no $metadata: ${error.message}`)
  }
}

/** `{"d": {"results": []}}`, `{"d": []}` and `{"value": []}`; one entity alone is a page of one. */
const isEntity = (path: readonly (string | number)[]): boolean =>
  typeof path.at(-1) === 'number' && ['d,results', 'd', 'value'].includes(path.slice(0, -1).join())
const isContext = (path: readonly unknown[]): boolean => path.length === 1 && path[0] === '@odata.context'

const readPage = async (file: SourceFile, context: Context): Promise<void> => {
  let row = 0
  let named = setNamed(
    file.name
      .split('/')
      .at(-1)
      ?.replace(/\.json$/, ''),
  )
  for await (const { path, text } of jsonValues(file.chunks(), (at) => isEntity(at) || isContext(at))) {
    const value: unknown = JSON.parse(text)
    if (isContext(path)) named = setNamed(String(value).split('#').at(-1)) ?? named
    else await readEntity(value, { file: file.name, row: ++row }, named, context)
  }
  if (row > 0) return
  const document: unknown = JSON.parse(await wholeText(file.chunks()))
  const alone = isRecord(document) ? (document.d ?? document) : undefined
  if (isRecord(alone) && ('__metadata' in alone || '@odata.context' in alone))
    await readEntity(alone, { file: file.name, row: 1 }, named, context)
  else if (!isRecord(alone) || !['results', 'value'].some((name) => Array.isArray(alone[name])))
    context.reading.fault({ file: file.name }, 'is no page of an OData service')
}

/** `A_SalesOrder-2`, `A_SalesOrder(…)` and `A_SalesOrder/$entity` name the set. */
const setNamed = (text: string | undefined): string | undefined =>
  /^\w+?(?=$|[^\w]|_\d+$)/.exec(text ?? '')?.[0]

const setOf = (entity: Json, named: string | undefined, { setOfType }: Context): string | undefined => {
  const metadata = isRecord(entity.__metadata) ? entity.__metadata : {}
  const type = String(metadata.type ?? entity['@odata.type'] ?? '').replace(/^#/, '')
  const byUri = setNamed(String(metadata.uri ?? metadata.id ?? '').match(/([^/]+)\([^/]*\)$/)?.[1])
  return setOfType.get(type) ?? setOfType.get(type.split('.').at(-1) ?? '') ?? byUri ?? named
}

const leaveOut = (context: Context, what: string): void => {
  if (context.leftOut.size < 1_000) context.leftOut.set(what, (context.leftOut.get(what) ?? 0) + 1)
}

const readEntity = async (
  entity: unknown,
  place: SourcePlace,
  named: string | undefined,
  context: Context,
): Promise<void> => {
  const { reading, taken } = context
  if (!isRecord(entity)) return reading.fault(place, 'is no entity')
  const name = setOf(entity, named, context)
  if (name === undefined) return reading.fault(place, 'does not say which entity set it is of')
  const set = sets.get(name)
  if (!set) return leaveOut(context, `entities of ${name}, which this twin does not have`)
  const values = await valuesOf(entity, set, place, context)
  const lacking = set.type.keys.find((key) => values[key] === undefined)
  if (lacking !== undefined) return reading.fault({ ...place, field: lacking }, 'is missing')
  const id = rowId(set.type, values)
  if (taken.has(`${name} ${id}`)) return leaveOut(context, `entities of ${name} that came before`)
  taken.add(`${name} ${id}`)
  await reading.insert(set.collection, { id, ...storable(set.type, values) }, place)
}

/** Reads the fields of an entity, and the entities that were expanded in it. */
const valuesOf = async (
  entity: Json,
  set: EntitySet,
  place: SourcePlace,
  context: Context,
): Promise<EdmValues> => {
  const values: Record<string, EdmValues[string]> = {}
  for (const [field, raw] of Object.entries(entity)) {
    if (field === '__metadata' || field.includes('@')) continue
    const property = set.type.byName.get(field)
    const navigation = set.type.navigations.get(field)
    if (navigation || (isRecord(raw) && ('__deferred' in raw || 'results' in raw))) {
      for (const one of expanded(raw)) await readEntity(one, place, navigation?.target, context)
      continue
    }
    if (!property) leaveOut(context, `values of ${set.name}.${field}, which this twin does not have`)
    else {
      const fitted = fitValue(property, raw)
      if ('misfit' in fitted)
        context.reading.fault({ ...place, field }, `${JSON.stringify(raw)} is no ${property.type} that fits`)
      else {
        values[field] = fitted.value
        noteMoment(property, fitted.value, context)
      }
    }
  }
  return values
}

const expanded = (raw: unknown): readonly unknown[] => {
  if (Array.isArray(raw)) return raw
  if (!isRecord(raw) || '__deferred' in raw) return []
  return Array.isArray(raw.results) ? raw.results : [raw]
}

/** Version 4 writes numbers as numbers, and days without a time. */
const fitValue = (property: Property, raw: unknown): Fitted => {
  const isTextual = ['Decimal', 'Int64', 'String'].includes(property.type)
  if (typeof raw === 'number' && isTextual) return fromJson(property, String(raw))
  if (typeof raw === 'string' && property.type === 'DateTime' && /^\d{4}-\d{2}-\d{2}$/.test(raw))
    return fromJson(property, `${raw}T00:00:00`)
  if (typeof raw === 'string' && property.type === 'DateTime' && raw.endsWith('Z'))
    return fromJson(property, raw.slice(0, -1))
  // What the system has stored stays as it is; only what a caller writes is put into capitals.
  return fromJson(property.upper ? { ...property, upper: false } : property, raw)
}

/** The clock is set after what was last changed; days of validity lie far ahead and say nothing. */
const noteMoment = ({ name }: Property, value: EdmValues[string], context: Context): void => {
  if (typeof value !== 'string' || !/^(CreationDate|CreatedOn|LastChange(Date(Time)?|d(On)?))/.test(name))
    return
  const at = Date.parse(value)
  if (Number.isFinite(at)) context.latest = Math.max(context.latest, at)
}
