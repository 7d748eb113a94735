/** How sales documents are configured: what each type is, and what its items become. */

export interface SalesDocumentType {
  /** The category of the document: B quotation, C order, H return. */
  readonly category: 'B' | 'C' | 'H'
  readonly itemCategory: string
  /** The type of delivery that follows. */
  readonly deliveryType: string
  /** The type of billing document that follows. */
  readonly billingType: string
}

const order: SalesDocumentType = {
  category: 'C',
  itemCategory: 'TAN',
  deliveryType: 'LF',
  billingType: 'F2',
}

export const salesDocumentTypes: Readonly<Record<string, SalesDocumentType>> = {
  OR: order,
  OR1: order,
  SO: order,
  TA: order,
  BV: order,
  KB: { ...order, itemCategory: 'KBN' },
  KE: { ...order, itemCategory: 'KEN' },
  CBFD: { ...order, itemCategory: 'CBXN' },
  CBAR: { category: 'H', itemCategory: 'CBAN', deliveryType: 'LR', billingType: 'CBRE' },
  RE2: { category: 'H', itemCategory: 'REN', deliveryType: 'LR', billingType: 'RE' },
  QT: { category: 'B', itemCategory: 'AGN', deliveryType: '', billingType: '' },
  AG: { category: 'B', itemCategory: 'AGN', deliveryType: '', billingType: '' },
}

/** The number of a partner that a function holds. */
export type PartnerKind = 'Customer' | 'Supplier' | 'Personnel' | 'ContactPerson'

const kinds: Readonly<Record<PartnerKind, readonly string[]>> = {
  Customer: ['SP', 'SH', 'BP', 'PY', 'SB', '1A', '1B', '1C', '1D'],
  Supplier: ['CR', 'FA', 'VN', 'OA', 'PI', 'GS'],
  Personnel: ['ER', 'VE', 'SE'],
  ContactPerson: ['CP'],
}

/** Partner functions of sales documents, with the kind of partner that each is. */
export const salesPartnerFunctions: ReadonlyMap<string, PartnerKind> = new Map(
  (Object.keys(kinds) as PartnerKind[]).flatMap((kind) =>
    (kinds[kind] ?? [])
      .filter((name) => !['VN', 'OA', 'PI', 'GS'].includes(name))
      .map((name) => [name, kind] as const),
  ),
)
