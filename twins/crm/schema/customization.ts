/** What a deployment adds to the standard organization, before anything is seeded. */
export interface Customization {
  readonly objects?: readonly CustomObject[]
  /** Custom fields of standard objects, by the object's name. */
  readonly fields?: Readonly<Record<string, readonly CustomField[]>>
  readonly validationRules?: readonly ValidationRule[]
  /** Records to seed beside the section's, by the object's name. */
  readonly records?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

export interface CustomObject {
  /** Ends in `__c`. */
  readonly name: string
  readonly label?: string
  readonly plural?: string
  readonly nameLabel?: string
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
  /** Children are deleted with their parent. */
  readonly masterDetail?: boolean
}

export interface ValidationRule {
  readonly object: string
  readonly message: string
  readonly field?: string
  /** A WHERE clause's condition; a record that meets it is refused. */
  readonly refuseWhen: string
}
