import { attributesXml } from '../../xml.ts'
import type { EntitySet, Property, ServiceModel } from '../model.ts'

/** An action of a set: of one entity, or of the set itself. */
export interface Action {
  readonly name: string
  readonly set: string
  readonly bound: 'entity' | 'collection'
  /** Parameters as XML types, where they are complex. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[]
}

export interface ActionType {
  readonly name: string
  readonly properties: readonly { readonly name: string; readonly type: string }[]
}

export interface Schema {
  readonly namespace: string
  /** The short name of the namespace, by which actions are called. */
  readonly alias: string
  readonly service: ServiceModel
  readonly actions: readonly Action[]
  readonly types: readonly ActionType[]
}

const edmType = ({ type, day }: Property): string => {
  if (type === 'DateTime') return day ? 'Edm.Date' : 'Edm.DateTimeOffset'
  if (type === 'Time') return 'Edm.TimeOfDay'
  return `Edm.${type}`
}

const propertyXml = (property: Property): string => {
  const attributes: [string, string][] = [
    ['Name', property.name],
    ['Type', edmType(property)],
  ]
  if (!property.nullable) attributes.push(['Nullable', 'false'])
  if (property.maxLength !== undefined) attributes.push(['MaxLength', String(property.maxLength)])
  if (property.type === 'Decimal')
    attributes.push(['Precision', String(property.precision ?? 15)], ['Scale', String(property.scale ?? 0)])
  return `<Property${attributesXml(attributes)}/>`
}

const typeXml = ({ namespace, service }: Schema, { type }: EntitySet): string => {
  const navigations = [...type.navigations.values()].map(({ name, target, many }) => {
    const entity = `${namespace}.${service.sets.get(target)?.type.name ?? ''}`
    return `<NavigationProperty Name="${name}" Type="${many ? `Collection(${entity})` : entity}"/>`
  })
  return [
    `<EntityType Name="${type.name}"><Key>`,
    ...type.keys.map((key) => `<PropertyRef Name="${key}"/>`),
    '</Key>',
    ...type.properties.map(propertyXml),
    ...navigations,
    '</EntityType>',
  ].join('')
}

const actionXml = ({ namespace, service }: Schema, action: Action): string => {
  const entity = `${namespace}.${service.sets.get(action.set)?.type.name ?? ''}`
  const binding = action.bound === 'entity' ? entity : `Collection(${entity})`
  return [
    `<Action Name="${action.name}" IsBound="true"><Parameter Name="_it" Type="${binding}" Nullable="false"/>`,
    ...action.parameters.map(({ name, type }) => `<Parameter Name="${name}" Type="${type}"/>`),
    `<ReturnType Type="Collection(${entity})" Nullable="false"/></Action>`,
  ].join('')
}

const setXml = ({ namespace }: Schema, { name, type }: EntitySet): string => {
  const bindings = [...type.navigations.values()].map(
    (navigation) => `<NavigationPropertyBinding Path="${navigation.name}" Target="${navigation.target}"/>`,
  )
  return `<EntitySet Name="${name}" EntityType="${namespace}.${type.name}">${bindings.join('')}</EntitySet>`
}

/** The description of a service of version 4. */
export const metadataXml = (schema: Schema): string => {
  const sets = [...schema.service.sets.values()]
  const types = schema.types.map(
    ({ name, properties }) =>
      `<ComplexType Name="${name}">${properties
        .map((each) => `<Property Name="${each.name}" Type="${each.type}"/>`)
        .join('')}</ComplexType>`,
  )
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>',
    `<Schema Namespace="${schema.namespace}" Alias="${schema.alias}" xmlns="http://docs.oasis-open.org/odata/ns/edm">`,
    ...sets.map((set) => typeXml(schema, set)),
    ...types,
    ...schema.actions.map((action) => actionXml(schema, action)),
    '<EntityContainer Name="Container">',
    ...sets.map((set) => setXml(schema, set)),
    '</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>',
  ].join('')
}
