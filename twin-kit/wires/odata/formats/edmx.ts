import { attributesXml, escapeXml } from '../../xml.ts'
import type { Attributes, ComplexType, EntitySet, FunctionImport, Property, ServiceModel } from '../model.ts'

const edmx = 'http://schemas.microsoft.com/ado/2007/06/edmx'
const metadata = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata'
const schema = 'http://schemas.microsoft.com/ado/2008/09/edm'

/** The service's description of itself, from which clients are generated. */
export const metadataXml = (service: ServiceModel, root: string): string => {
  const sets = [...service.sets.values()]
  const associations = sets.flatMap((set) => associationsOf(service, set))
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<edmx:Edmx Version="1.0" xmlns:edmx="${edmx}" xmlns:m="${metadata}"`,
    `${attributesXml(service.namespaces.map(([name, value]) => [`xmlns:${name}`, value]))}>`,
    '<edmx:DataServices m:DataServiceVersion="2.0">',
    `<Schema Namespace="${service.name}" xml:lang="en"${attributesXml(service.schemaAttributes)} xmlns="${schema}">`,
    ...sets.map((set) => typeXml(service, set)),
    ...service.complexTypes.map(complexXml),
    ...associations.map(({ association }) => association),
    `<EntityContainer Name="${service.name}_Entities" m:IsDefaultEntityContainer="true"${attributesXml(service.containerAttributes)}>`,
    ...sets.map(
      (set) =>
        `<EntitySet Name="${set.name}" EntityType="${service.name}.${set.type.name}"${attributesXml(set.attributes)}/>`,
    ),
    ...associations.map(({ associationSet }) => associationSet),
    ...[...service.functions.values()].map((called) => functionXml(service, called)),
    '</EntityContainer>',
    `<atom:link rel="self" href="${escapeXml(`${root}/$metadata`)}" xmlns:atom="http://www.w3.org/2005/Atom"/>`,
    '</Schema></edmx:DataServices></edmx:Edmx>',
  ].join('')
}

const propertyXml = (property: Property, element = 'Property'): string => {
  const attributes: [string, string][] = [
    ['Name', property.name],
    ['Type', `Edm.${property.type}`],
  ]
  if (!property.nullable) attributes.push(['Nullable', 'false'])
  if (property.maxLength !== undefined) attributes.push(['MaxLength', String(property.maxLength)])
  if (property.precision !== undefined) attributes.push(['Precision', String(property.precision)])
  if (property.type === 'Decimal') attributes.push(['Scale', String(property.scale ?? 0)])
  return `<${element}${attributesXml(attributes)}${attributesXml(property.attributes)}/>`
}

const typeXml = (service: ServiceModel, { name, type }: EntitySet): string =>
  [
    `<EntityType Name="${type.name}"${attributesXml(type.attributes)}>`,
    `<Key>${type.keys.map((key) => `<PropertyRef Name="${key}"/>`).join('')}</Key>`,
    ...type.properties.map((property) =>
      property.name === type.version
        ? propertyXml(property).replace('/>', ' ConcurrencyMode="Fixed"/>')
        : propertyXml(property),
    ),
    ...[...type.navigations.values()].map(
      (navigation) =>
        `<NavigationProperty Name="${navigation.name}" Relationship="${service.name}.${associationName(name, navigation.name)}" FromRole="From" ToRole="To"/>`,
    ),
    '</EntityType>',
  ].join('')

const complexXml = ({ name, properties }: ComplexType): string =>
  `<ComplexType Name="${name}">${properties.map((property) => propertyXml(property)).join('')}</ComplexType>`

const associationName = (set: string, navigation: string): string => `assoc_${set}_${navigation}`

const associationsOf = (service: ServiceModel, { name, type }: EntitySet) =>
  [...type.navigations.values()].map((navigation) => {
    const association = associationName(name, navigation.name)
    const target = service.sets.get(navigation.target)
    const version: Attributes = type.attributes.filter(([attribute]) => attribute.endsWith('content-version'))
    const end = (entityType: string, multiplicity: string, role: string) =>
      `<End Type="${service.name}.${entityType}" Multiplicity="${multiplicity}" Role="${role}"/>`
    return {
      association: [
        `<Association Name="${association}"${attributesXml(version)}>`,
        end(type.name, '1', 'From'),
        end(target?.type.name ?? '', navigation.many ? '*' : '0..1', 'To'),
        '</Association>',
      ].join(''),
      associationSet: [
        `<AssociationSet Name="${association}_set" Association="${service.name}.${association}"${attributesXml(version)}>`,
        `<End EntitySet="${name}" Role="From"/><End EntitySet="${navigation.target}" Role="To"/>`,
        '</AssociationSet>',
      ].join(''),
    }
  })

const functionXml = (service: ServiceModel, called: FunctionImport): string => {
  const type = `${service.name}.${called.returns.name}`
  const attributes: [string, string][] = [
    ['Name', called.name],
    ['ReturnType', called.many ? `Collection(${type})` : type],
    ...(called.set === undefined ? [] : [['EntitySet', called.set] as [string, string]]),
    ['m:HttpMethod', called.method],
  ]
  return [
    `<FunctionImport${attributesXml(attributes)}>`,
    ...called.parameters.map((parameter) =>
      propertyXml(parameter, 'Parameter').replace(' Nullable="false"', ''),
    ),
    '</FunctionImport>',
  ].join('')
}
