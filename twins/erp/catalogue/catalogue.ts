import {
  type Attributes,
  type ComplexType,
  type EdmType,
  type EdmValues,
  type EntitySet,
  type EntityType,
  type FunctionImport,
  joinIndexes,
  type Navigation,
  type Property,
  type ServiceModel,
} from '@diorama/twin-kit/wires/odata/model'
import { initialOf, jsonFace } from '@diorama/twin-kit/wires/odata/values/values'
import { decimalsOfCurrency, decimalsOfUnit } from '../codes.ts'

/**
 * A service as the files in `catalogue/` write it. A property is one line, such as
 * `SalesOrder String(10) required upper = Sales Order`; a navigation is `to_Item many A_SalesOrderItem`.
 */
export interface CatalogueFile {
  readonly service: string
  readonly version: string
  readonly title: string
  readonly component: string
  readonly sets: Readonly<Record<string, CatalogueSet>>
  /** What functions return, besides entities. */
  readonly complexTypes?: Readonly<Record<string, readonly string[]>>
  /** `returns` names a complex or an entity type, after `many` where it is a list. */
  readonly functions: readonly {
    readonly name: string
    readonly method: string
    readonly parameters: readonly string[]
    readonly returns?: string
  }[]
}
export interface CatalogueSet {
  readonly label: string
  readonly keys: string
  readonly not?: string
  readonly properties: readonly string[]
  readonly navigation?: readonly string[]
}

/** What a file does not say: navigations that are not joined by equal names, sets that we do not let be written. */
export interface Particulars {
  readonly joins?: Readonly<Record<string, Pick<Navigation, 'on' | 'where'>>>
  readonly readOnly?: boolean
  /** Fields, or several joined by `+`, by which rows are looked up. */
  readonly lookups?: Readonly<Record<string, readonly string[]>>
  /** Names the operations behind functions by the service too, since several services have functions of one name. */
  readonly qualified?: boolean
  readonly views?: Readonly<Record<string, NonNullable<EntitySet['view']>>>
}

export interface Service extends ServiceModel {
  readonly version: string
  readonly title: string
  readonly component: string
}

/** Numbers that the system keeps with leading zeros and shows without. */
const numbers = new Set([
  'AddressID',
  'BPCustomerNumber',
  'BusinessPartner',
  'BusinessPartnerCompany',
  'BusinessPartnerPerson',
  'Customer',
  'DeliveryDocument',
  'DeliveryDocumentItem',
  'Material',
  'Product',
  'ReferenceSDDocument',
  'ReferenceSDDocumentItem',
  'RelationshipNumber',
  'SDDocument',
  'SalesOrder',
  'PurchaseOrder',
  'PurchasingDocument',
  'PurchaseRequisition',
  'MaterialDocument',
  'BillingDocument',
  'SupplierInvoice',
  'SalesQuotation',
  'CustomerReturn',
  'PrecedingDocument',
  'Subsequentdocument',
  'SubsequentDocument',
  'InvoicingParty',
  'PayerParty',
  'SalesDocument',
  'AccountingDocument',
  'ShipToParty',
  'SoldToParty',
  'Supplier',
])
const withoutZeros = (text: string): string => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text)

/** `A_SalesOrderItem` becomes `sales_order_item`. */
export const collectionName = (set: string): string =>
  set
    .replace(/^A_/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

const line = /^(\w+) (\w+)(?:\((\d+)(?:,(\d+))?\))?((?: [a-z]+(?::[\w-]+)?)*)(?: = (.*))?$/

const parseProperty = (
  text: string,
  semantics: ReadonlyMap<string, string>,
): { property: Property; etag: boolean } => {
  const match = line.exec(text)
  if (!match) throw new Error(`the catalogue says ${text}`)
  const [, name = '', type = '', first, second, flagText = '', label] = match
  const flags = new Map(
    flagText
      .trim()
      .split(' ')
      .map((flag) => {
        const [flagName = '', value = ''] = flag.split(':')
        return [flagName, value] as const
      }),
  )
  const edm = type as EdmType
  const unit = flags.get('unit')
  const scale = second === undefined ? undefined : Number(second)
  const digits = flags.has('digits')
  return {
    etag: flags.has('etag'),
    property: {
      name,
      type: edm,
      ...(edm === 'String' && first !== undefined ? { maxLength: Number(first) } : {}),
      ...(edm !== 'String' && first !== undefined ? { precision: Number(first) } : {}),
      ...(scale === undefined ? {} : { scale }),
      nullable: !flags.has('required'),
      readOnly: flags.has('readonly'),
      fixed: flags.has('fixed'),
      filterable: !flags.has('unfiltered'),
      sortable: !flags.has('unsorted'),
      day: edm === 'DateTime' && flags.has('date'),
      initial: digits && name !== 'WBSElement' ? '0' : initialOf(edm),
      upper: flags.has('upper'),
      ...(digits || numbers.has(name) ? { canonical: withoutZeros } : {}),
      ...(unit === undefined ? {} : { decimals: decimalsBy(unit, semantics.get(unit) ?? '', scale ?? 0) }),
      attributes: propertyAttributes(flags, label),
      json: jsonFace({ name, type: edm, initial: digits && name !== 'WBSElement' ? '0' : initialOf(edm) }),
    },
  }
}

const decimalsBy =
  (unit: string, semantics: string, scale: number) =>
  (row: EdmValues): number => {
    const code = String(row[unit] ?? '')
    return Math.min(
      scale,
      semantics === 'currency-code' ? decimalsOfCurrency(code) : decimalsOfUnit(code, scale),
    )
  }

const propertyAttributes = (flags: ReadonlyMap<string, string>, label: string | undefined): Attributes => {
  const attributes: [string, string][] = []
  if (flags.has('unit')) attributes.push(['sap:unit', flags.get('unit') ?? ''])
  for (const [flag, format] of [
    ['upper', 'UpperCase'],
    ['digits', 'NonNegative'],
    ['date', 'Date'],
  ] as const)
    if (flags.has(flag)) attributes.push(['sap:display-format', format])
  if (label !== undefined) attributes.push(['sap:label', label], ['sap:quickinfo', label])
  if (flags.has('text')) attributes.push(['sap:text', flags.get('text') ?? ''])
  if (flags.has('semantics')) attributes.push(['sap:semantics', flags.get('semantics') ?? ''])
  if (flags.has('readonly')) attributes.push(['sap:creatable', 'false'])
  if (flags.has('readonly') || flags.has('fixed')) attributes.push(['sap:updatable', 'false'])
  if (flags.has('unsorted')) attributes.push(['sap:sortable', 'false'])
  if (flags.has('unfiltered')) attributes.push(['sap:filterable', 'false'])
  return attributes
}

/** Names of equal fields join: the parent's key below it, the other side's key beside it. */
const joinByName = (file: CatalogueFile, from: string, to: string, many: boolean): Navigation['on'] => {
  const keysOf = (set: string) => (file.sets[set]?.keys ?? '').split(' ')
  const namesOf = (set: string) =>
    (file.sets[set]?.properties ?? []).map((each) => each.slice(0, each.indexOf(' ')))
  const names = many
    ? keysOf(from).filter((key) => namesOf(to).includes(key))
    : keysOf(to).filter((key) => namesOf(from).includes(key))
  if (names.length === 0) throw new Error(`nothing joins ${from} and ${to}`)
  return names.map((name) => [name, name])
}

const parseType = (
  file: CatalogueFile,
  name: string,
  set: CatalogueSet,
  { joins }: Particulars,
): EntityType => {
  const semantics = new Map(
    set.properties.flatMap((text) => {
      const found = /^(\w+) .*? semantics:([\w-]+)/.exec(text)
      return found ? [[found[1] ?? '', found[2] ?? ''] as const] : []
    }),
  )
  const parsed = set.properties.map((text) => parseProperty(text, semantics))
  const properties = parsed.map(({ property }) => property)
  const version = parsed.find(({ etag }) => etag)?.property.name
  const navigations = (set.navigation ?? []).map((text): Navigation => {
    const [navigation = '', cardinality, target = ''] = text.split(' ')
    const many = cardinality === 'many'
    const told = joins?.[`${name}.${navigation}`]
    return {
      name: navigation,
      target,
      many,
      on: told?.on ?? joinByName(file, name, target, many),
      ...(told?.where ? { where: told.where } : {}),
    }
  })
  return {
    name: `${name.replace(/Collection$/, '')}${name.startsWith('A_') ? 'Type' : ''}`,
    keys: set.keys.split(' '),
    properties,
    byName: new Map(properties.map((property) => [property.name, property])),
    navigations: new Map(navigations.map((navigation) => [navigation.name, navigation])),
    ...(version === undefined ? {} : { version }),
    attributes: [
      ['sap:label', set.label],
      ['sap:content-version', '1'],
    ],
  }
}

const functionResult: ComplexType = {
  name: 'FunctionResult',
  properties: [parseProperty('Boolean Boolean required = Truth Value', new Map()).property],
}

const complexTypesOf = (file: CatalogueFile): ReadonlyMap<string, ComplexType> => {
  const named = Object.entries(file.complexTypes ?? {}).map(([name, lines]): ComplexType => {
    const properties = lines.map((text) => parseProperty(text, new Map()).property)
    return { name, properties }
  })
  const all = named.length === 0 && file.functions.length > 0 ? [functionResult] : named
  return new Map(all.map((type) => [type.name, type]))
}

interface FunctionPlace {
  readonly types: ReadonlyMap<string, EntityType>
  readonly complexTypes: ReadonlyMap<string, ComplexType>
  readonly particulars: Particulars
}

const functionOf = (
  { service }: CatalogueFile,
  { name, method, parameters, returns = functionResult.name }: CatalogueFile['functions'][number],
  { types, complexTypes, particulars }: FunctionPlace,
): FunctionImport => {
  const many = returns.startsWith('many ')
  const wanted = many ? returns.slice(5) : returns
  const [set, entity] = [...types].find(([, type]) => type.name === wanted) ?? []
  const complex = complexTypes.get(wanted)
  const result = complex ?? (entity && { name: entity.name, properties: entity.properties })
  if (!result) throw new Error(`${service} has no type ${wanted}`)
  return {
    name,
    method: method === 'GET' ? 'GET' : 'POST',
    parameters: parameters.map((text) => ({
      ...parseProperty(text, new Map()).property,
      nullable: / optional\b/.test(text),
    })),
    returns: result,
    many,
    ...(complex || set === undefined ? {} : { set }),
    operation: particulars.qualified ? `${method} ${service}/${name}` : `${method} ${name}`,
  }
}

/** Makes a service of a file. */
export const serviceFrom = (file: CatalogueFile, particulars: Particulars = {}): Service => {
  const types = new Map(
    Object.entries(file.sets).map(([name, set]) => [name, parseType(file, name, set, particulars)]),
  )
  const sets = [...types].map(([name, type]): EntitySet => {
    const not = particulars.readOnly ? 'creatable updatable deletable' : (file.sets[name]?.not ?? '')
    const can = (what: string) => !not.split(' ').includes(what)
    const lookups = (particulars.lookups?.[name] ?? []).map((fields) => fields.split('+'))
    const view = particulars.views?.[name]
    return {
      name,
      type,
      collection: collectionName(name),
      creatable: can('creatable'),
      // What cannot be created on its own can be created with its parent, unless nothing of it can be changed.
      creatableBelow: can('creatable') || can('updatable') || can('deletable'),
      updatable: can('updatable'),
      deletable: can('deletable'),
      indexes: [...joinIndexes(types.values(), name), ...lookups],
      attributes: [
        ...not
          .split(' ')
          .filter((what) => what !== '')
          .map((what) => [`sap:${what}`, 'false'] as const),
        ['sap:content-version', '1'],
      ],
      ...(view ? { view } : {}),
    }
  })
  const complexTypes = complexTypesOf(file)
  const functions = file.functions.map((called) =>
    functionOf(file, called, { types, complexTypes, particulars }),
  )
  return {
    name: file.service,
    version: file.version,
    title: file.title,
    component: file.component,
    sets: new Map(sets.map((set) => [set.name, set])),
    functions: new Map(functions.map((called) => [called.name, called])),
    complexTypes: [...complexTypes.values()],
    containerAttributes: [
      ['sap:message-scope-supported', 'true'],
      ['sap:supported-formats', 'atom json xlsx'],
    ],
    schemaAttributes: [['sap:schema-version', '1']],
    namespaces: [['sap', 'http://www.sap.com/Protocols/SAPData']],
  }
}
