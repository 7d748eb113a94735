import type { FieldSchema } from './types.ts'

/** A field as the catalogue writes it: name, type, label, length, flags, and what else it has. */
export const standardField = (written: readonly unknown[]): FieldSchema => {
  const [name, type, label, length, flags] = written.map(String)
  const extra = (written[5] ?? {}) as {
    picklist?: string[]
    default?: string
    to?: string[]
    as?: string
    precision?: number
    scale?: number
    digits?: number
    of?: string
    info?: string
  }
  const has = (letter: string) => (flags ?? '').includes(letter)
  return {
    name: name ?? '',
    type: type ?? 'string',
    label: label ?? '',
    length: Number(length),
    createable: has('c'),
    updateable: has('u'),
    nillable: has('n'),
    filterable: has('f'),
    sortable: has('s'),
    groupable: has('g'),
    aggregatable: has('a'),
    nameField: has('N'),
    idLookup: has('i'),
    defaultedOnCreate: has('d'),
    restricted: has('r'),
    polymorphic: (extra.to?.length ?? 0) > 1,
    autoNumber: has('A'),
    externalId: false,
    unique: false,
    custom: false,
    picklist: extra.picklist ?? [],
    defaultValue: extra.default ?? null,
    referenceTo: extra.to ?? [],
    relationshipName: extra.as ?? null,
    precision: extra.precision ?? 0,
    scale: extra.scale ?? 0,
    digits: extra.digits ?? 0,
    compound: extra.of ?? null,
    info: extra.info ?? null,
  }
}
