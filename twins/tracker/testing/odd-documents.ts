import fc from 'fast-check'
import { rootFields, trackerSchema } from '../graphql/engine.ts'
import { bareType } from '../lists/filter.ts'
import type { FieldModel } from '../schema/model.ts'

/** Reads decisions off a tape of numbers, so that any tape is a document and shrinks to a smaller one. */
class Writer {
  readonly #tape: readonly number[]
  #at = 0
  #fragments = 0
  readonly fragments: string[] = []

  constructor(tape: readonly number[]) {
    this.#tape = tape
  }

  next(below: number): number {
    const value = this.#tape[this.#at % this.#tape.length] ?? 0
    this.#at++
    return below === 0 ? 0 : value % below
  }

  get spent(): boolean {
    return this.#at > this.#tape.length
  }

  selection(type: string, depth: number): string {
    const fields = trackerSchema.get().types.get(type)?.fields ?? []
    const usable = fields.filter(({ args = [] }) => !args.some((arg) => arg.type.endsWith('!')))
    const parts = ['__typename']
    const count = this.spent ? 0 : this.next(4) + 1
    for (let n = 0; n < count && usable.length > 0; n++) {
      const field = usable[this.next(usable.length)]
      if (field) parts.push(this.#part(type, field, depth))
    }
    return `{ ${parts.join(' ')} }`
  }

  #part(type: string, field: FieldModel, depth: number): string {
    const text = this.field(field, depth)
    if (text === '') return ''
    const form = this.next(8)
    if (form === 0) return `... on ${type} { ${text} ${text} }`
    if (form > 1) return text
    const name = `F${this.#fragments++}`
    this.fragments.push(`fragment ${name} on ${type} { ${text} }`)
    return `...${name} ...${name}`
  }

  field({ name, type, args = [] }: FieldModel, depth: number): string {
    const target = bareType(type)
    const kind = trackerSchema.get().types.get(target)?.kind
    const alias = this.next(3) === 0 ? `a${this.next(5)}: ` : ''
    if (kind === undefined || kind === 'scalar' || kind === 'enum') return `${alias}${name}`
    if (depth === 0 || kind === 'union' || this.spent) return ''
    const paged = args.some((arg) => arg.name === 'first')
    const page = paged ? `(first: ${[0, 1, 3, 50, 250, 9_999][this.next(6)]})` : ''
    return `${alias}${name}${page} ${this.selection(target, depth - 1)}`
  }
}

/** A document that fits the schema: fragments, aliases, pages and depth as the tape decides. */
export const documentOf = (tape: readonly number[]): string => {
  const writer = new Writer(tape)
  const roots = rootFields('Query').filter(({ args = [] }) => !args.some((arg) => arg.type.endsWith('!')))
  const parts: string[] = []
  for (let n = writer.next(3); n >= 0; n--) {
    const root = roots[writer.next(roots.length)]
    const text = root ? writer.field(root, 5) : ''
    if (text !== '') parts.push(`r${n}: ${text.replace(/^a\d: /, '')}`)
  }
  return `{ __typename ${parts.join(' ')} } ${writer.fragments.join(' ')}`
}

export const tape = fc.array(fc.nat({ max: 10_000 }), { minLength: 10, maxLength: 400, size: 'max' })
/** Tokens of the language in no order. */
export const tokenSoup = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '...',
      ':',
      '!',
      '$a',
      '@skip(if: true)',
      'query',
      'fragment',
      'on',
      'Issue',
      'issues',
      'nodes',
      'id',
      '"x"',
      '"""',
      '1',
      'first: 5',
      '__schema',
      '__type(name: "Issue")',
      '#',
      '\u0000',
      '🙂',
      '\\',
    ),
    { maxLength: 60 },
  )
  .map((tokens) => tokens.join(' '))
