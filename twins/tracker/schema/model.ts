/**
 * The API's schema as plain data: small enough to keep in a file, and quick to turn into a live schema. Descriptions
 * and deprecations travel with it, since clients introspect.
 */
export interface SchemaModel {
  /** The version of the client package that it was read from. */
  readonly version: string
  readonly types: readonly TypeModel[]
}

export interface TypeModel {
  readonly kind: 'scalar' | 'enum' | 'object' | 'interface' | 'input' | 'union'
  readonly name: string
  readonly description?: string
  readonly interfaces?: readonly string[]
  readonly members?: readonly string[]
  readonly fields?: readonly FieldModel[]
  readonly values?: readonly ValueModel[]
}

export interface FieldModel {
  readonly name: string
  /** In the notation of the schema language, such as `[Issue!]!`. */
  readonly type: string
  readonly description?: string
  readonly deprecated?: string
  readonly args?: readonly FieldModel[]
}

export interface ValueModel {
  readonly name: string
  readonly description?: string
  readonly deprecated?: string
}
