import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { addedFields } from './added-fields.ts'
import type { DeclaredField, DeclaredObject } from './declared.ts'
import { files } from './files.ts'
import { moreObjects } from './more-objects.ts'
import { people } from './people.ts'
import { processes } from './process.ts'
import { sales } from './sales.ts'
import { readTypes, type TypedObject } from './types.ts'

/**
 * Writes the generated files of `schema/`, or with `--check` only reports whether they are stale. Sources:
 * `recorded.json` (describes recorded from a live organization, and the vendor's field reference; 2026-08), the types of
 * the standard objects in the published client package (its version is in package.json), and the declarations beside.
 */

type Field = [name: string, type: string, label: string, length: number, flags: string, extra?: object]
interface CatalogueObject {
  label: string
  plural: string
  prefix: string | null
  flags: string
  fields: Field[]
  children: [object: string, field: string, name: string, cascade: number][]
}

const target = new URL('../../schema/catalogue.generated.json', import.meta.url)
const standardNames = new URL('../../schema/standard-names.generated.json', import.meta.url)
const recorded = new URL('./recorded.json', import.meta.url)
const clientTypes = (): string => {
  const main = createRequire(import.meta.url).resolve('jsforce')
  return readFileSync(new URL('./lib/types/standard-schema.d.ts', `file://${main}`), 'utf8')
}

const system = new Set([
  'Id',
  'IsDeleted',
  'CreatedDate',
  'CreatedById',
  'LastModifiedDate',
  'LastModifiedById',
  'SystemModstamp',
  'LastViewedDate',
  'LastReferencedDate',
])

const labelOf = (name: string): string =>
  name
    .replace(/__kav$/, '')
    .replace(/Id$/, ' ID')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')

const moments =
  /(DateTime|Modstamp|^(Created|LastModified|LastViewed|LastReferenced|Activated|Archived|Assignment|ContentModified|LastEdit|FirstPublished|LastPublished|ArticleArchived|ArticleCreated|FeaturedContent|ThreadLastUpdated)Date)$/

const typeOf = (name: string, written: string, isReference: boolean): string => {
  if (name === 'Id') return 'id'
  if (isReference) return 'reference'
  if (/boolean/.test(written)) return 'boolean'
  if (/Address/.test(written)) return 'address'
  if (/BlobString/.test(written)) return 'base64'
  if (/DateString/.test(written)) return moments.test(name) ? 'datetime' : 'date'
  if (/number/.test(written)) {
    if (/(Price|Amount|Cost|Subtotal|Tax)$/.test(name)) return 'currency'
    if (/(Latitude|Longitude|Quantity)$/.test(name)) return 'double'
    return /(Percent|Discount)$/.test(name) ? 'percent' : 'int'
  }
  if (/(Email|EmailAddress)$/.test(name)) return 'email'
  if (/(Phone|Fax)$/.test(name)) return 'phone'
  if (/Url$/.test(name)) return 'url'
  return /^(Description|Body|Summary|CommentBody|.*Street|.*Note)$/.test(name) ? 'textarea' : 'string'
}

const lengthOf = (name: string, type: string): number => {
  const byType: Record<string, number> = {
    id: 18,
    reference: 18,
    email: 80,
    phone: 40,
    picklist: 255,
    string: 255,
    url: 255,
  }
  if (type === 'textarea') return /Street$/.test(name) ? 255 : 32_000
  if (/City$/.test(name)) return 40
  if (/^(Billing|Shipping)(State|Country)$/.test(name)) return 80
  if (/PostalCode$/.test(name)) return 20
  return byType[type] ?? 0
}

const numbers: Readonly<Record<string, readonly [precision: number, scale: number]>> = {
  currency: [18, 2],
  double: [18, 2],
  percent: [5, 2],
}

const flagsOf = (name: string, type: string, nillable: boolean, declared: DeclaredField): string => {
  const write = system.has(name) || type === 'address' ? '' : (declared.write ?? 'cu')
  const plain = !['base64', 'address'].includes(type) && !(type === 'textarea' && !/Street$/.test(name))
  return [
    write,
    nillable && type !== 'boolean' ? 'n' : '',
    plain || type === 'address' ? 'f' : '',
    plain ? 's' : '',
    plain && !['datetime', 'double', 'currency', 'percent'].includes(type) ? 'g' : '',
    plain && type !== 'boolean' ? 'a' : '',
    declared.name ? 'N' : '',
    name === 'Id' || declared.idLookup ? 'i' : '',
    type === 'boolean' ||
    name === 'OwnerId' ||
    (system.has(name) && !nillable) ||
    declared.default !== undefined
      ? 'd'
      : '',
    declared.restricted ? 'r' : '',
  ].join('')
}

/** Fields of the standard objects read alike everywhere. */
const labels: Readonly<Record<string, string>> = { IsDeleted: 'Deleted', PoNumber: 'PO Number' }

const makeField = (name: string, typed: TypedObject, declared: DeclaredField): Field => {
  const written = typed.fields.get(name) ?? 'string | null'
  const relationship = declared.as ?? name.replace(/Id$/, '')
  const parent = typed.parents.get(relationship)
  const to = declared.to ?? (parent === undefined || parent === 'Name' ? undefined : [parent])
  const isReference = declared.to !== undefined || (name.endsWith('Id') && name !== 'Id' && to !== undefined)
  const type = declared.type ?? (declared.picklist ? 'picklist' : typeOf(name, written, isReference))
  const nillable =
    name !== 'Id' && (declared.required === undefined ? /null/.test(written) : !declared.required)
  const compound = /^(Billing|Shipping|Quote|Additional)/.exec(name)?.[0]
  const part =
    compound && /(Street|City|State|PostalCode|Country|Latitude|Longitude|GeocodeAccuracy)$/.test(name)
  const [precision, scale] = /(Latitude|Longitude)$/.test(name) ? [18, 15] : (numbers[type] ?? [])
  const extra = {
    ...(declared.picklist ? { picklist: declared.picklist } : {}),
    ...(declared.default === undefined ? {} : { default: declared.default }),
    ...(isReference ? { to, as: relationship } : {}),
    ...(precision === undefined
      ? {}
      : { precision: declared.precision ?? precision, scale: declared.scale ?? scale }),
    ...(type === 'int' ? { digits: 9 } : {}),
    ...(part ? { of: `${compound}Address` } : {}),
  }
  const field = [
    name,
    type,
    declared.label ?? labels[name] ?? labelOf(name),
    declared.length ?? lengthOf(name, type),
    flagsOf(name, type, nillable, declared),
  ] as const
  return Object.keys(extra).length > 0 ? [...field, extra] : [...field]
}

const none: TypedObject = { fields: new Map(), parents: new Map(), children: new Map() }

const fieldsOf = (
  typed: TypedObject,
  { only, fields = {} }: Pick<DeclaredObject, 'only' | 'fields'>,
): Field[] => {
  const names = [...new Set([...(only ?? typed.fields.keys()), ...Object.keys(fields)])]
  return names.map((name) => makeField(name, typed, fields[name] ?? {}))
}

/** Names of the real service that the catalogue has not: what asks for them is recorded as not emulated. */
export const makeStandardNames = (): string => {
  const types = readTypes(clientTypes())
  const catalogue = objectsOf(types)
  const objects = [...new Set([...types.keys(), ...moreObjects])].filter((name) => !catalogue[name]).sort()
  const fields: Record<string, string[]> = {}
  const relations: Record<string, string[]> = {}
  for (const [name, object] of Object.entries(catalogue)) {
    const known = new Set(object.fields.map(([field]) => field))
    const children = new Set(object.children.map(([, , relation]) => relation))
    const typed = types.get(name) ?? none
    const missing = [...typed.fields.keys()].filter((field) => !known.has(field))
    const missingRelations = [...typed.children.keys()].filter((relation) => !children.has(relation))
    if (missing.length > 0) fields[name] = missing
    if (missingRelations.length > 0) relations[name] = missingRelations
  }
  return `${JSON.stringify({ objects, fields, relations }, null, 1)}\n`
}

export const makeCatalogue = (): string => written(objectsOf(readTypes(clientTypes())))

const objectsOf = (types: ReadonlyMap<string, TypedObject>): Record<string, CatalogueObject> => {
  const catalogue: Record<string, CatalogueObject> = JSON.parse(readFileSync(recorded, 'utf8'))
  const declared = { ...sales, ...files, ...people, ...processes }
  for (const [name, fields] of Object.entries(addedFields)) {
    const object = catalogue[name]
    if (!object) throw new Error(`${name} is not recorded`)
    for (const field of fieldsOf(types.get(name) ?? none, { only: [], fields })) {
      const at = object.fields.findIndex(([known]) => known === field[0])
      if (at === -1) object.fields.push(field)
      else object.fields[at] = field
    }
  }
  for (const [name, object] of Object.entries(declared)) {
    const { label, plural, prefix, flags } = object
    const fields = fieldsOf(types.get(name) ?? none, {
      ...object,
      fields: { Id: { label: `${label} ID` }, ...object.fields },
    })
    catalogue[name] = { label, plural, prefix, flags, fields, children: [] }
  }
  for (const object of Object.values(catalogue))
    object.fields = object.fields.filter((field) => leads(field, catalogue))
  for (const [name, { under = [] }] of Object.entries(declared))
    for (const [parent, relationship, field, cascade] of under)
      catalogue[parent]?.children.push([name, field, relationship, cascade])
  return catalogue
}

/** Whether a reference leads to an object of the catalogue; others are left out. */
const leads = ([, , , , , extra]: Field, catalogue: Readonly<Record<string, CatalogueObject>>): boolean => {
  const { to } = (extra ?? {}) as { to?: string[] }
  return to === undefined || to.some((name) => catalogue[name] !== undefined)
}

/** One line a field, so that a change of one can be read. */
const written = (catalogue: Readonly<Record<string, CatalogueObject>>): string => {
  const rows = (list: readonly unknown[]): string =>
    list.length === 0 ? '[]' : `[\n${list.map((row) => `      ${JSON.stringify(row)}`).join(',\n')}\n    ]`
  const objects = Object.entries(catalogue).map(
    ([name, { label, plural, prefix, flags, fields, children }]) =>
      `  ${JSON.stringify(name)}: {\n    "label": ${JSON.stringify(label)}, "plural": ${JSON.stringify(plural)}, "prefix": ${JSON.stringify(prefix)}, "flags": ${JSON.stringify(flags)},\n    "fields": ${rows(fields)},\n    "children": ${rows(children)}\n  }`,
  )
  return `{\n${objects.join(',\n')}\n}\n`
}

const made = (): readonly (readonly [file: URL, text: string])[] => [
  [target, makeCatalogue()],
  [standardNames, makeStandardNames()],
]

/** The generated files that are not what this program would write. */
export const stale = (): string[] =>
  made()
    .filter(([file, text]) => readFileSync(file, 'utf8') !== text)
    .map(([file]) => file.pathname.replace(/^.*\//, ''))

if (import.meta.main) {
  if (!process.argv.includes('--check')) for (const [file, text] of made()) writeFileSync(file, text)
  else if (stale().length > 0) {
    process.stderr.write(`stale: ${stale().join(', ')}; run node twins/crm/testing/catalogue/make.ts\n`)
    process.exitCode = 1
  }
}
