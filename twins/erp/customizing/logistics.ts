/** How purchasing, inventory and accounting are configured. */

/** Types of purchase orders and requisitions. */
export const purchaseOrderTypes: ReadonlySet<string> = new Set(['NB', 'FO', 'NB2C'])
export const purchaseRequisitionTypes: ReadonlySet<string> = new Set(['NB', 'RV', 'FO'])

export interface MovementType {
  /** Into stock, out of it, or from one storage location to another. */
  readonly direction: 'in' | 'out' | 'transfer'
  /** The transactions in which it may be posted. */
  readonly code: string
  /** The movement that takes it back. */
  readonly reversal: string
  /** What it refers to. */
  readonly reference?: 'purchase order' | 'delivery'
  /** What it must name besides. */
  readonly needs?: string
}

export const movementTypes: Readonly<Record<string, MovementType>> = {
  '101': { direction: 'in', code: '01', reversal: '102', reference: 'purchase order' },
  '102': { direction: 'out', code: '', reversal: '101', reference: 'purchase order' },
  '122': { direction: 'out', code: '01', reversal: '123', reference: 'purchase order' },
  '123': { direction: 'in', code: '', reversal: '122', reference: 'purchase order' },
  '201': { direction: 'out', code: '03', reversal: '202', needs: 'CostCenter' },
  '202': { direction: 'in', code: '03', reversal: '201', needs: 'CostCenter' },
  '311': { direction: 'transfer', code: '04', reversal: '312', needs: 'IssuingOrReceivingStorageLoc' },
  '312': { direction: 'transfer', code: '', reversal: '311', needs: 'IssuingOrReceivingStorageLoc' },
  '501': { direction: 'in', code: '05', reversal: '502' },
  '502': { direction: 'out', code: '', reversal: '501' },
  '551': { direction: 'out', code: '03', reversal: '552' },
  '552': { direction: 'in', code: '', reversal: '551' },
  '561': { direction: 'in', code: '05', reversal: '562' },
  '562': { direction: 'out', code: '', reversal: '561' },
  '601': { direction: 'out', code: '', reversal: '602', reference: 'delivery' },
  '602': { direction: 'in', code: '', reversal: '601', reference: 'delivery' },
}

/** Movement types that the real system has and the twin cannot post: asking for one is no mistake of the caller. */
export const otherMovementTypes: ReadonlySet<string> = new Set(
  '103 104 105 106 107 108 109 110 124 125 131 132 161 162 221 222 231 232 241 242 261 262 281 282 291 292 301 302 303 304 305 306 309 310 313 314 315 316 321 322 323 324 325 326 343 344 349 350 411 412 413 414 453 454 503 504 505 506 511 512 521 522 531 532 541 542 543 544 553 554 555 556 563 564 565 566 621 622 631 632 641 642 643 644 651 652 653 654 655 656 657 658 701 702 703 704 707 708'.split(
    ' ',
  ),
)

export const chartOfAccounts = 'YCOA'

/** Accounts of the standard chart that postings use. */
export const accounts = {
  receivables: { number: '12100000', name: 'Receivables Domestic', profitAndLoss: false },
  inventory: { number: '13600000', name: 'Inventory - Trading Goods', profitAndLoss: false },
  payables: { number: '21100000', name: 'Payables Domestic', profitAndLoss: false },
  goodsReceived: { number: '21120000', name: 'Goods Rcvd/Invoice Rcvd', profitAndLoss: false },
  inputTax: { number: '12600000', name: 'Input Tax', profitAndLoss: false },
  revenue: { number: '41000000', name: 'Revenue Domestic - Product', profitAndLoss: true },
  costOfGoods: { number: '50301000', name: 'COGS - Trading Goods', profitAndLoss: true },
  consumption: { number: '51600000', name: 'Consumption - Trading Goods', profitAndLoss: true },
  scrap: { number: '52071000', name: 'Scrapping', profitAndLoss: true },
  stockGain: { number: '52041000', name: 'Inventory Differences', profitAndLoss: true },
  priceDifference: { number: '52061000', name: 'Price Differences', profitAndLoss: true },
} as const

export type Account = keyof typeof accounts

/** How far an invoice may be from its purchase order before its payment is blocked, in percent. */
export const priceTolerancePercent = 5
