/** Where blocks are shown. Each surface takes its own set of blocks and elements. */
export type Surface = 'message' | 'modal' | 'home'

/**
 * The shape of one value, as data. The validator (`validate.ts`) walks a value along its schema once, so that its cost
 * is linear in the size of the value; schemas do not refer to themselves, so that its depth is bounded.
 */
export type Schema =
  | StringSchema
  | NumberSchema
  | { readonly is: 'boolean' }
  | { readonly is: 'any' }
  | { readonly is: 'nullable'; readonly of: Schema }
  | { readonly is: 'either'; readonly string: StringSchema; readonly object: TextSchema }
  | ArraySchema
  | ObjectSchema
  | TextSchema
  | TypedSchema

export interface StringSchema {
  readonly is: 'string'
  readonly min?: number
  readonly max?: number
  readonly values?: readonly string[]
  readonly pattern?: RegExp
  readonly format?: 'uri' | 'date' | 'time'
}

export interface NumberSchema {
  readonly is: 'integer' | 'number'
  readonly min?: number
  readonly max?: number
  readonly values?: readonly number[]
}

export interface ArraySchema {
  readonly is: 'array'
  readonly items: Schema
  readonly min?: number
  readonly max?: number
  readonly unique?: boolean
}

export type Fields = Readonly<Record<string, Schema | { readonly required: Schema }>>

export interface ObjectSchema {
  readonly is: 'object'
  readonly fields: Fields
  /** Conditions on several fields at once. */
  readonly rules?: readonly Rule[]
  /** Where it may be used; everywhere when left out. */
  readonly surfaces?: readonly Surface[]
}

/** A text object. `wrapped`: the service reports the parent before a text that is too long. */
export interface TextSchema {
  readonly is: 'text'
  readonly kinds: readonly ('plain_text' | 'mrkdwn')[]
  readonly min: number
  readonly max: number
  readonly wrapped?: boolean
}

/** One of several objects, distinguished by `type`. `fallback` is the type of an object that names none. */
export interface TypedSchema {
  readonly is: 'typed'
  readonly types: Readonly<Record<string, ObjectSchema>>
  readonly fallback?: string
}

export type Value = Readonly<Record<string, unknown>>

/** Reports what is wrong with an object: a message, and where below the object it applies. */
export type Rule = (value: Value, context: RuleContext) => readonly RuleFault[]
export interface RuleFault {
  readonly message: string
  readonly at?: string
}

/** What rules need to know beyond the object itself. */
export interface RuleContext {
  readonly surface: Surface
  /** Whether the caller may show this uploaded image, named by id or address. */
  readonly isImage: (file: Value) => boolean
  readonly isRemoteFile: (externalId: string) => boolean
  readonly isCall: (id: string) => boolean
}

export const required = (schema: Schema): { readonly required: Schema } => ({ required: schema })
export const str = (limits: Omit<StringSchema, 'is'> = {}): StringSchema => ({ is: 'string', ...limits })
export const filled = (max?: number): StringSchema => str({ min: 1, ...(max !== undefined && { max }) })
export const oneOf = (...values: readonly string[]): StringSchema => str({ values })
export const uri = (max?: number): StringSchema => ({ ...filled(max), format: 'uri' })
export const int = (min: number, max?: number): NumberSchema => ({
  is: 'integer',
  min,
  ...(max !== undefined && { max }),
})
export const bool = { is: 'boolean' } as const
export const anything = { is: 'any' } as const
export const list = (items: Schema, min = 0, max?: number): ArraySchema => ({
  is: 'array',
  items,
  min,
  ...(max !== undefined && { max }),
})
export const object = (fields: Fields, ...rules: readonly Rule[]): ObjectSchema => ({
  is: 'object',
  fields,
  rules,
})
export const plain = (max: number): TextSchema => ({ is: 'text', kinds: ['plain_text'], min: 1, max })
export const text = (max: number): TextSchema => ({
  is: 'text',
  kinds: ['plain_text', 'mrkdwn'],
  min: 1,
  max,
})
export const typed = (types: Readonly<Record<string, ObjectSchema>>, fallback?: string): TypedSchema => ({
  is: 'typed',
  types,
  ...(fallback !== undefined && { fallback }),
})

/** Some of the entries of a table of types. */
export const pick = (
  types: Readonly<Record<string, ObjectSchema>>,
  ...names: readonly string[]
): Readonly<Record<string, ObjectSchema>> =>
  Object.fromEntries(
    names.map((name) => {
      const schema = types[name]
      if (!schema) throw new Error(`no schema is called ${name}`)
      return [name, schema]
    }),
  )
