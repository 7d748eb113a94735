/** What a deployment adds to the standard organization, before anything is seeded. */
export interface Customization {
  readonly objects?: readonly CustomObject[]
  /** Custom fields of standard objects, by the object's name. */
  readonly fields?: Readonly<Record<string, readonly CustomField[]>>
  readonly validationRules?: readonly ValidationRule[]
  readonly recordTypes?: readonly RecordType[]
  /** Events that programs publish; their names end in `__e`. */
  readonly platformEvents?: readonly Pick<CustomObject, 'name' | 'label' | 'fields'>[]
  /** What was renamed since, in that order. */
  readonly renames?: readonly Rename[]
  /** Records to seed beside the section's, by the object's name. */
  readonly records?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

export interface CustomObject {
  /** Ends in `__c`. */
  readonly name: string
  readonly label?: string
  /** How the ids of its records begin; the next free one when left out. */
  readonly prefix?: string
  readonly plural?: string
  readonly nameLabel?: string
  /** Names are automatic numbers, written in this way, such as `ISS-{0000}`. */
  readonly nameFormat?: string
  readonly fields: readonly CustomField[]
}

export interface CustomField {
  /** Ends in `__c`. */
  readonly name: string
  readonly type:
    | 'string'
    | 'textarea'
    | 'picklist'
    | 'multipicklist'
    | 'boolean'
    | 'int'
    | 'double'
    | 'currency'
    | 'percent'
    | 'date'
    | 'datetime'
    | 'email'
    | 'phone'
    | 'url'
    | 'reference'
  readonly label?: string
  readonly length?: number
  readonly precision?: number
  readonly scale?: number
  readonly required?: boolean
  readonly externalId?: boolean
  readonly unique?: boolean
  readonly picklist?: readonly string[]
  readonly restricted?: boolean
  readonly defaultValue?: string
  /** The object that a reference points to. */
  readonly referenceTo?: string
  /** What the parent calls its children, without `__r`. */
  readonly childRelationshipName?: string
  /** A formula in the vendor's language; the field is computed on reading. */
  readonly formula?: string
  readonly rollUp?: RollUp
  /** Numbered automatically, written in this way, such as `ISS-{0000}`. */
  readonly autoNumber?: string
  /** Children are deleted with their parent. */
  readonly masterDetail?: boolean
  /** A record may be given another master. */
  readonly reparentable?: boolean
}

/** A summary of a record's children. */
export interface RollUp {
  readonly object: string
  /** The children's field that names the record. */
  readonly field: string
  readonly operation: 'count' | 'sum' | 'min' | 'max'
  /** The children's field that is summed or compared; none for a count. */
  readonly of?: string
}

export interface RecordType {
  readonly object: string
  /** As programs write it. */
  readonly name: string
  readonly label?: string
  readonly isDefault?: boolean
}

/** A record that meets the condition is refused with the message. */
export interface ValidationRule {
  readonly object: string
  readonly message: string
  readonly field?: string
  /** A WHERE clause's condition. */
  readonly refuseWhen?: string
  /** A formula in the vendor's language. */
  readonly formula?: string
}

/** What an administrator renamed in the setup of an organization, in the order in which it was done. */
export type Rename =
  | { readonly what: 'label'; readonly object: string; readonly field: string; readonly to: string }
  | { readonly what: 'field'; readonly object: string; readonly field: string; readonly to: string }
  | {
      readonly what: 'value'
      readonly object: string
      readonly field: string
      readonly from: string
      readonly to: string
    }
