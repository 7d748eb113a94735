import type { FieldModel, SchemaModel, TypeModel, ValueModel } from './model.ts'

/**
 * Reads the schema out of the type declarations that the vendor's own client package ships. Those are generated from
 * the schema, one declaration a type, one line a field, so that a reader of lines is enough: `Maybe` marks what may be
 * null, `Array` a list, `Scalars["X"]` a scalar, `A & {` an interface, and the arguments of `Type.field` are in a
 * declaration called `TypeFieldArgs`.
 */
export const readDeclarations = (text: string, version: string): SchemaModel => {
  const raw = readRaw(text)
  const interfaces = new Set(raw.flatMap(({ bases }) => bases))
  const plain = raw.filter(({ kind }) => kind === 'type')
  const args = new Map(
    plain
      .filter(({ name, typename }) => name.endsWith('Args') && !typename)
      .map((type) => [type.name.toLowerCase(), type.fields]),
  )
  const matched = new Set<string>()
  const withArgs = (type: Raw): FieldModel[] =>
    type.fields.map((field) => {
      const name = `${type.name}${field.name}args`.toLowerCase()
      const found = args.get(name)
      if (!found) return field
      matched.add(name)
      return { ...field, args: found }
    })
  const objects = plain.filter(({ typename }) => typename).map((type) => made('object', type, withArgs(type)))
  const abstracts = plain
    .filter(({ name, typename }) => !typename && interfaces.has(name))
    .map((type) => made('interface', type, withArgs(type)))
  const inputs = plain
    .filter(({ name, typename }) => !typename && !interfaces.has(name) && !matched.has(name.toLowerCase()))
    .map((type) => made('input', type, type.fields))
  const others = raw
    .filter(({ kind }) => kind !== 'type')
    .map(
      (type): TypeModel =>
        type.kind === 'enum'
          ? { ...named('enum', type), values: type.values }
          : type.kind === 'union'
            ? { ...named('union', type), members: type.members }
            : named('scalar', type),
    )
  const types = [...others, ...abstracts, ...objects, ...inputs]
  if (!objects.some(({ name }) => name === 'Query')) throw new Error('the declarations hold no schema')
  return { version, types }
}

interface Raw {
  readonly kind: 'type' | 'enum' | 'union' | 'scalar'
  readonly name: string
  readonly description: string | undefined
  readonly bases: readonly string[]
  readonly members: readonly string[]
  readonly fields: FieldModel[]
  readonly values: ValueModel[]
  typename: boolean
}

/** The declarations fold the capitals of these names; they are spelt as the API spells them. */
const spelt = (name: string): string => name.replace(/IdComparator$/, 'IDComparator')

const named = (kind: TypeModel['kind'], { name, description }: Raw): TypeModel => ({
  kind,
  name,
  ...(description ? { description } : {}),
})

const made = (
  kind: 'object' | 'interface' | 'input',
  raw: Raw,
  fields: readonly FieldModel[],
): TypeModel => ({
  ...named(kind, raw),
  fields,
  ...(raw.bases.length > 0 ? { interfaces: raw.bases } : {}),
})

const typeLine = /^type (\w+) = ((?:\w+ & )*)\{$/
const enumLine = /^declare enum (\w+) \{$/
const unionLine = /^type (\w+) = (\w+(?: \| \w+)*);$/
const fieldLine = /^ {2}(\w+)\??: (.+);$/
const valueLine = /^ {2}\w+ = "(.+)",?$/
const builtIn = new Set(['ID', 'String', 'Boolean', 'Int', 'Float'])

/** The schema's part begins at `Scalars` and ends where the client's own documents begin. */
const readRaw = (text: string): Raw[] => {
  const found: Raw[] = []
  const comment = new Comment()
  let current: Raw | undefined
  let scalars = false
  let started = false
  for (const line of text.split('\n')) {
    if (comment.read(line)) continue
    if (line === 'type Scalars = {') started = scalars = true
    else if (!started) comment.take()
    else if (/^type \w+Fragment = /.test(line)) break
    else if (line.startsWith('}')) {
      current = undefined
      scalars = false
    } else if (scalars) readScalar(line, comment, found)
    else if (current) readMember(line, comment, current)
    else current = readHead(line, comment, found)
  }
  return found
}

const readScalar = (line: string, comment: Comment, found: Raw[]): void => {
  const name = fieldLine.exec(line)?.[1]
  const { description } = comment.take()
  if (name && !builtIn.has(name)) found.push(blank('scalar', name, description))
}

const readHead = (line: string, comment: Comment, found: Raw[]): Raw | undefined => {
  const { description } = comment.take()
  const union = unionLine.exec(line)
  if (union?.[1] && union[2]) {
    found.push({ ...blank('union', union[1], description), members: union[2].split(' | ') })
    return undefined
  }
  const type = typeLine.exec(line)
  const declared = type ?? enumLine.exec(line)
  if (!declared?.[1]) return undefined
  const bases = (type?.[2] ?? '').split(' & ').filter((base) => base !== '')
  const raw = { ...blank(type ? 'type' : 'enum', spelt(declared[1]), description), bases }
  found.push(raw)
  return raw
}

const readMember = (line: string, comment: Comment, current: Raw): void => {
  const { description, deprecated } = comment.take()
  const docs = { ...(description ? { description } : {}), ...(deprecated ? { deprecated } : {}) }
  const value = valueLine.exec(line)?.[1]
  const field = fieldLine.exec(line)
  if (current.kind === 'enum') {
    if (value) current.values.push({ name: value, ...docs })
  } else if (field?.[1] === '__typename') current.typename = true
  else if (field?.[1] && field[2]) current.fields.push({ name: field[1], type: toType(field[2]), ...docs })
}

const blank = (kind: Raw['kind'], name: string, description: string | undefined): Raw => ({
  kind,
  name,
  description,
  bases: [],
  members: [],
  fields: [],
  values: [],
  typename: false,
})

/** `Maybe<Array<Scalars["String"]>>` becomes `[String!]`. */
const toType = (text: string): string => {
  const maybe = /^(?:Input)?Maybe<(.+)>$/.exec(text)?.[1]
  return maybe ? toBare(maybe) : `${toBare(text)}!`
}
const toBare = (text: string): string => {
  const item = /^Array<(.+)>$/.exec(text)?.[1]
  if (item) return `[${toType(item)}]`
  return /^Scalars\["(\w+)"\]$/.exec(text)?.[1] ?? spelt(text)
}

/** Gathers the comment above a declaration or a field. */
class Comment {
  #lines: string[] = []
  #open = false

  /** Whether the line was part of a comment. */
  read(line: string): boolean {
    const text = line.trim()
    if (!this.#open && !text.startsWith('/**')) return false
    if (!this.#open) this.#lines = []
    this.#open = !text.endsWith('*/')
    this.#lines.push(
      text
        .replace(/^\/\*\*/, '')
        .replace(/\*\/$/, '')
        .replace(/^\s*\*(?!\/)/, '')
        .trim(),
    )
    return true
  }

  take(): { description: string | undefined; deprecated: string | undefined } {
    const text = this.#lines.join('\n').trim()
    this.#lines = []
    const at = text.indexOf('@deprecated')
    const description = (at === -1 ? text : text.slice(0, at)).trim()
    return {
      description: description === '' ? undefined : description,
      deprecated:
        at === -1 ? undefined : text.slice(at + '@deprecated'.length).trim() || 'No longer supported',
    }
  }
}
