import { isRecord } from '@diorama/twin-kit/records'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import type { ActionCall, ServiceV4 } from '@diorama/twin-kit/wires/odata/v4/service'
import billingDocumentFile from '../catalogue/billing-document.json' with { type: 'json' }
import { type CatalogueFile, serviceFrom } from '../catalogue/catalogue.ts'
import type { BillingReference, BillingRequest } from '../operations/sales/billing.ts'

/** The billing service that is of version 4 alone: it reads the same documents, and makes new ones. */

const namespace = 'com.sap.gateway.srvd_a2x.api_billingdocument.v0001'

const renamed: Readonly<Record<string, string>> = {
  to_Item: '_Item',
  to_Partner: '_Partner',
  to_PricingElement: '_PricingElement',
  to_Text: '_Text',
  to_ItemText: '_Text',
  to_BillingDocument: '_BillingDocument',
  to_BillingDocumentItem: '_BillingDocumentItem',
}

const plain = (name: string): string => name.replace(/^A_/, '')

const file: CatalogueFile = {
  ...billingDocumentFile,
  service: namespace,
  complexTypes: {},
  functions: [],
  sets: Object.fromEntries(
    Object.entries(billingDocumentFile.sets).map(([name, set]) => [
      plain(name),
      {
        ...set,
        navigation: ('navigation' in set ? set.navigation : []).map((text) => {
          const [navigation = '', many, target = ''] = text.split(' ')
          return `${renamed[navigation] ?? navigation} ${many} ${plain(target)}`
        }),
      },
    ]),
  ),
}

const maxReferences = 100

export const billingV4: ServiceV4 = {
  namespace,
  alias: 'SAP__self',
  service: serviceFrom(file, { readOnly: true }),
  types: [
    {
      name: 'BillingControl',
      properties: [
        { name: 'DefaultBillingDocumentDate', type: 'Edm.Date' },
        { name: 'DefaultBillingDocumentType', type: 'Edm.String' },
        { name: 'AutomPostingToAcctgIsDisabled', type: 'Edm.Boolean' },
      ],
    },
    {
      name: 'BillingReference',
      properties: [
        { name: 'SDDocument', type: 'Edm.String' },
        { name: 'BillingDocumentType', type: 'Edm.String' },
        { name: 'BillingDocumentDate', type: 'Edm.Date' },
      ],
    },
  ],
  actions: [
    {
      name: 'CreateFromSDDocument',
      set: 'BillingDocument',
      bound: 'collection',
      parameters: [
        { name: '_Control', type: `${namespace}.BillingControl` },
        { name: '_Reference', type: `Collection(${namespace}.BillingReference)` },
      ],
    },
    { name: 'Cancel', set: 'BillingDocument', bound: 'entity', parameters: [] },
    { name: 'PostToAccounting', set: 'BillingDocument', bound: 'entity', parameters: [] },
  ],
  readOperation: (set) => `GET A_${set}`,
  act: ({ session, action, row, body }: ActionCall): readonly EdmRow[] =>
    session.call<EdmRow[]>(
      `POST BillingDocument/${action.name}`,
      row ? { number: String(row.BillingDocument) } : requestOf(body),
    ),
}

const unreadable = (property: string) => fault('unreadable_property', { property, offset: 0 })

const textAt = (object: Record<string, unknown>, name: string): string | undefined => {
  const value = object[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' || value.length > 20) throw unreadable(name)
  return value
}

const dayAt = (object: Record<string, unknown>, name: string): string | undefined => {
  const value = textAt(object, name)
  if (value !== undefined && !(/^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value)))
    throw fault('invalid_value', { property: name, offset: 0, value })
  return value
}

const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

const requestOf = (body: Readonly<Record<string, unknown>>): BillingRequest => {
  const control = body._Control ?? {}
  const references = body._Reference ?? []
  if (!isRecord(control)) throw unreadable('_Control')
  if (!Array.isArray(references)) throw unreadable('_Reference')
  if (references.length > maxReferences)
    throw fault('too_large', { limit: maxReferences, what: 'reference documents' })
  return {
    control: definedOnly({
      DefaultBillingDocumentType: textAt(control, 'DefaultBillingDocumentType'),
      DefaultBillingDocumentDate: dayAt(control, 'DefaultBillingDocumentDate'),
      AutomPostingToAcctgIsDisabled: control.AutomPostingToAcctgIsDisabled === true,
    }),
    references: references.map((reference: unknown): BillingReference => {
      const number = isRecord(reference) ? textAt(reference, 'SDDocument') : undefined
      if (!isRecord(reference) || number === undefined) throw unreadable('SDDocument')
      return {
        SDDocument: number.replace(/^0+(?=\d)/, ''),
        ...definedOnly({
          BillingDocumentType: textAt(reference, 'BillingDocumentType'),
          BillingDocumentDate: dayAt(reference, 'BillingDocumentDate'),
        }),
      }
    }),
  }
}

/** Without the fields that are undefined. */
const definedOnly = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
