/** What the published types do not say of a field. */
export interface DeclaredField {
  readonly type?: string
  readonly label?: string
  readonly length?: number
  /** `c`reate and `u`pdate; both when left out, neither when empty. */
  readonly write?: '' | 'c' | 'u' | 'cu'
  readonly required?: boolean
  readonly picklist?: readonly string[]
  readonly restricted?: boolean
  readonly default?: string
  readonly to?: readonly string[]
  readonly as?: string
  readonly precision?: number
  readonly scale?: number
  readonly name?: boolean
  readonly idLookup?: boolean
}

/** What the published types do not say of an object. */
export interface DeclaredObject {
  readonly label: string
  readonly plural: string
  readonly prefix: string | null
  /** The letters of the catalogue: c(reate) u(pdate) d(elete) s(earch) U(ndelete) m(erge) r(eplicate) t(rigger) q(uery) R(etrieve). */
  readonly flags: string
  /** The fields to take from the published types, in their order; all of them when left out. */
  readonly only?: readonly string[]
  readonly fields?: Readonly<Record<string, DeclaredField>>
  /** Relationships of other objects to this one: parent, its name for them, field, and whether they are deleted with it. */
  readonly under?: readonly (readonly [parent: string, relationship: string, field: string, cascade: 0 | 1])[]
}
