import { attributesXml, escapeXml } from '../../xml.ts'
import type { EdmRow, Property, ServiceModel } from '../model.ts'
import { related, relatedOne } from '../query/data.ts'
import type { Shape } from '../query/options.ts'
import { isoOf } from '../values/moments.ts'
import { heldValue, plainText } from '../values/values.ts'
import { type Listed, type Writer, writeRows } from './json.ts'
import { entityPath, etagOf } from './links.ts'

const header = '<?xml version="1.0" encoding="utf-8"?>'
const metadata = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata'
const dataservices = 'http://schemas.microsoft.com/ado/2007/08/dataservices'
const atom = 'http://www.w3.org/2005/Atom'
const relation = `${dataservices}/related/`

const namespaces = (root: string) =>
  attributesXml([
    ['xmlns', atom],
    ['xmlns:m', metadata],
    ['xmlns:d', dataservices],
    ['xml:base', `${root}/`],
  ])

/** What an Atom answer needs beside its rows. */
export interface AtomWriter extends Writer {
  readonly now: number
}

export const entryXml = (writer: AtomWriter, shape: Shape, row: EdmRow): string =>
  `${header}${entry(writer, shape, row, namespaces(writer.root))}`

const entry = (writer: AtomWriter, shape: Shape, stored: EdmRow, spaces = ''): string => {
  writer.budget.write(shape.properties.length + shape.deferred.length + 5)
  const { set } = shape
  const row = set.view ? set.view(stored, writer.origin) : stored
  const path = entityPath(set, row)
  const etag = etagOf(set, row)
  const version = etag === undefined ? '' : attributesXml([['m:etag', etag]])
  const id = escapeXml(`${writer.root}/${path}`)
  return [
    `<entry${spaces}${version}><id>${id}</id><title type="text">${escapeXml(path)}</title>`,
    `<updated>${isoOf(writer.now).slice(0, 19)}Z</updated>`,
    `<category term="${writer.service.name}.${set.type.name}" scheme="${dataservices}/scheme"/>`,
    link([
      ['href', path],
      ['rel', 'self'],
      ['title', set.type.name],
    ]),
    ...(set.updatable
      ? [
          link([
            ['href', path],
            ['rel', 'edit'],
            ['title', set.type.name],
          ]),
        ]
      : []),
    ...links(writer, shape, stored, path),
    `<content type="application/xml"><m:properties xmlns:m="${metadata}" xmlns:d="${dataservices}">`,
    ...shape.properties.map((property) => propertyElement(property, row)),
    '</m:properties></content></entry>',
  ].join('')
}

const link = (attributes: readonly (readonly [string, string])[]): string =>
  `<link${attributesXml(attributes)}/>`

const links = (writer: AtomWriter, shape: Shape, row: EdmRow, path: string): string[] => {
  const attributes = (name: string, many: boolean): (readonly [string, string])[] => [
    ['href', `${path}/${name}`],
    ['rel', `${relation}${name}`],
    ['type', `application/atom+xml;type=${many ? 'feed' : 'entry'}`],
    ['title', name],
  ]
  return [
    ...shape.deferred.map(({ name, many }) => link(attributes(name, many))),
    ...shape.expanded.map(({ navigation, shape: below }) => {
      const inside = navigation.many
        ? feed(
            writer,
            below,
            { rows: [...related(writer.views, writer.service, navigation, row)] },
            `${path}/${navigation.name}`,
          )
        : one(writer, below, relatedOne(writer.views, writer.service, navigation, row))
      return `<link${attributesXml(attributes(navigation.name, navigation.many))}><m:inline>${inside}</m:inline></link>`
    }),
  ]
}

const one = (writer: AtomWriter, shape: Shape, row: EdmRow | undefined): string =>
  row ? entry(writer, shape, row) : ''

const propertyElement = (property: Property, row: EdmRow): string => {
  const value = heldValue(row, property)
  if (value === null) return `<d:${property.name} m:null="true"/>`
  return `<d:${property.name}>${escapeXml(plainText(property, value))}</d:${property.name}>`
}

const feed = (
  writer: AtomWriter,
  shape: Shape,
  { rows, total, next }: Listed,
  path: string,
  spaces = '',
): string => {
  // Only the outermost feed ends early: related entities are shown whole.
  const written = next
    ? writeRows(writer, rows, (row) => entry(writer, shape, row))
    : rows.map((row) => entry(writer, shape, row))
  const place = next?.(written.length)
  return [
    `<feed${spaces}><id>${escapeXml(`${writer.root}/${path}`)}</id>`,
    `<title type="text">${escapeXml(shape.set.name)}</title><updated>${isoOf(writer.now).slice(0, 19)}Z</updated>`,
    link([
      ['href', path],
      ['rel', 'self'],
      ['title', shape.set.name],
    ]),
    ...(total === undefined ? [] : [`<m:count>${total}</m:count>`]),
    ...written,
    ...(place === undefined
      ? []
      : [
          link([
            ['href', place],
            ['rel', 'next'],
          ]),
        ]),
    '</feed>',
  ].join('')
}

export const feedXml = (writer: AtomWriter, shape: Shape, listed: Listed, path: string): string =>
  `${header}${feed(writer, shape, listed, path, namespaces(writer.root))}`

export const propertyXml = (property: Property, row: EdmRow): string =>
  `${header}${propertyElement(property, row).replace(
    `<d:${property.name}`,
    `<d:${property.name} xmlns:d="${dataservices}" xmlns:m="${metadata}"`,
  )}`

export const linksXml = (uris: readonly string[], many: boolean): string => {
  const elements = uris.map((uri) => `<uri>${escapeXml(uri)}</uri>`).join('')
  return many
    ? `${header}<links xmlns="${dataservices}">${elements}</links>`
    : `${header}${elements.replace('<uri>', `<uri xmlns="${dataservices}">`)}`
}

export const serviceXml = (service: ServiceModel, root: string): string =>
  [
    `${header}<app:service xml:base="${escapeXml(`${root}/`)}" xmlns:app="http://www.w3.org/2007/app" xmlns:atom="${atom}"`,
    `${attributesXml(service.namespaces.map(([name, value]) => [`xmlns:${name}`, value]))}>`,
    '<app:workspace><atom:title type="text">Data</atom:title>',
    ...[...service.sets.values()].map(
      (set) =>
        `<app:collection${attributesXml(set.attributes)} href="${set.name}"><atom:title type="text">${set.name}</atom:title></app:collection>`,
    ),
    '</app:workspace>',
    `<atom:link rel="self" href="${escapeXml(`${root}/`)}"/></app:service>`,
  ].join('')
