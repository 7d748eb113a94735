/** One object as the client's published types have it. */
export interface TypedObject {
  /** Type as written, such as `string | null`, by field name. */
  readonly fields: ReadonlyMap<string, string>
  /** Object by the name of the relationship to the parent. */
  readonly parents: ReadonlyMap<string, string>
  /** Object by the name of the relationship to its records. */
  readonly children: ReadonlyMap<string, string>
}

const blocks = /^type (Fields|ParentReferences|ChildRelationships)\$(\w+) = \{([^}]*)\};/gm

/** Reads the names and types of the standard objects out of a file of type declarations. */
export const readTypes = (text: string): ReadonlyMap<string, TypedObject> => {
  const objects = new Map<string, { -readonly [K in keyof TypedObject]: Map<string, string> }>()
  for (const [, kind = '', name = '', body = ''] of text.matchAll(blocks)) {
    const object = objects.get(name) ?? { fields: new Map(), parents: new Map(), children: new Map() }
    objects.set(name, object)
    for (const [, field = '', type = ''] of body.matchAll(/^\s*(\w+): ([^;]+);/gm)) {
      const target = /SObjectDefinition\$(\w+)/.exec(type)?.[1] ?? ''
      if (kind === 'Fields') object.fields.set(field, type)
      else if (kind === 'ParentReferences') object.parents.set(field, target)
      else object.children.set(field, target)
    }
  }
  return objects
}
