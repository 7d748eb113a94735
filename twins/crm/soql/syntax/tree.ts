/** A query as written, with the place of everything that can be wrong with it. */
export interface Query {
  readonly select: readonly SelectItem[]
  readonly from: Named
  readonly alias: string | undefined
  /** Further FROM entries: an alias for a path that begins at another alias. */
  readonly joins: readonly { path: Path; alias: string }[]
  readonly scope: Named | undefined
  readonly where: Condition | undefined
  readonly groupBy: readonly GroupItem[]
  readonly grouping: 'plain' | 'rollup' | 'cube'
  readonly having: Condition | undefined
  readonly orderBy: readonly OrderItem[]
  readonly limit: number | undefined
  readonly offset: number | undefined
  readonly purpose: 'view' | 'reference' | 'update' | undefined
}

export interface Named {
  readonly name: string
  readonly at: number
}
export interface Path {
  readonly parts: readonly Named[]
  readonly at: number
}
export interface FunctionCall {
  readonly kind: 'function'
  readonly name: string
  readonly at: number
  readonly args: readonly Argument[]
}
export type Argument = { kind: 'path'; path: Path } | FunctionCall | { kind: 'literal'; literal: Literal }

export type SelectItem =
  | { kind: 'path'; path: Path; alias: Named | undefined }
  | { kind: 'call'; call: FunctionCall; alias: Named | undefined }
  | { kind: 'subquery'; query: Query; at: number }
  | {
      kind: 'typeof'
      path: Path
      branches: readonly { type: Named; paths: readonly Path[] }[]
      otherwise: readonly Path[]
    }

export type GroupItem = { kind: 'path'; path: Path } | { kind: 'call'; call: FunctionCall }
export interface OrderItem {
  readonly by: GroupItem
  readonly descending: boolean
  readonly nullsLast: boolean
}

export type Literal =
  | { kind: 'text'; value: string; at: number }
  | { kind: 'number'; value: number; at: number; text: string }
  | { kind: 'boolean'; value: boolean; at: number }
  | { kind: 'null'; at: number }
  | { kind: 'date'; value: string; at: number }
  | { kind: 'datetime'; value: number; at: number }
  | { kind: 'period'; name: string; n: number | undefined; at: number }

export type Operator =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'like'
  | 'in'
  | 'not in'
  | 'includes'
  | 'excludes'

export type Condition =
  | { kind: 'and' | 'or'; all: readonly Condition[] }
  | { kind: 'not'; inner: Condition }
  | {
      kind: 'compare'
      left: GroupItem
      operator: Operator
      at: number
      right: Literal | readonly Literal[] | { kind: 'query'; query: Query }
    }
