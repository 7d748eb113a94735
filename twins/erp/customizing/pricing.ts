/** The pricing procedure: every condition type with its step, its class and how its amount is worked out. */

export interface ConditionType {
  /** A discount or surcharge, B price, D tax. */
  readonly class: 'A' | 'B' | 'D'
  /** A percentage, B fixed amount, C amount for a quantity. */
  readonly calculation: 'A' | 'B' | 'C'
  readonly step: number
  /** Discounts only lower a price: their rate is kept negative. */
  readonly negative?: true
  /** Shown, and not part of the net value. */
  readonly statistical?: true
  /** Entered for a whole document, for an item, or for either. */
  readonly level: 'item' | 'header' | 'both'
}

const price = (step: number): ConditionType => ({ class: 'B', calculation: 'C', step, level: 'item' })
const discount = (
  step: number,
  calculation: 'A' | 'B' | 'C',
  level: ConditionType['level'] = 'item',
): ConditionType => ({ class: 'A', calculation, step, negative: true, level })
const surcharge = (
  step: number,
  calculation: 'A' | 'B' | 'C',
  level: ConditionType['level'] = 'item',
): ConditionType => ({ class: 'A', calculation, step, level })

export const conditionTypes: Readonly<Record<string, ConditionType>> = {
  PR00: price(11),
  PPR0: price(11),
  PB00: price(13),
  PMP0: price(14),
  PN00: price(17),
  K004: discount(101, 'C'),
  K005: discount(102, 'C'),
  K007: discount(103, 'A'),
  K020: discount(104, 'A'),
  K029: discount(105, 'A'),
  K030: discount(106, 'A'),
  K031: discount(107, 'A'),
  K032: discount(108, 'A'),
  KA00: discount(110, 'A'),
  DRN1: discount(111, 'A'),
  DRQ1: discount(112, 'C'),
  DRV1: discount(113, 'B'),
  DRG1: discount(114, 'A'),
  RA00: discount(115, 'A'),
  RA01: discount(116, 'A'),
  RB00: discount(117, 'B'),
  RC00: discount(118, 'C'),
  YK07: discount(120, 'A'),
  ZK07: discount(121, 'A'),
  HA00: surcharge(300, 'A', 'both'),
  HB00: surcharge(310, 'B', 'both'),
  YBHD: surcharge(320, 'B', 'both'),
  HD00: surcharge(330, 'B', 'both'),
  HM00: surcharge(335, 'B', 'both'),
  KF00: surcharge(340, 'C', 'both'),
  FR00: surcharge(341, 'B', 'both'),
  ZF00: surcharge(342, 'B', 'both'),
  AMIW: surcharge(350, 'B'),
  PMIN: surcharge(360, 'B'),
  MWST: { class: 'D', calculation: 'A', step: 915, level: 'item' },
  TTX1: { class: 'D', calculation: 'A', step: 916, level: 'item' },
  UTXJ: { class: 'D', calculation: 'A', step: 917, level: 'item' },
  SKTO: { class: 'A', calculation: 'A', step: 930, statistical: true, level: 'item' },
  DCD1: { class: 'A', calculation: 'A', step: 931, statistical: true, level: 'item' },
  VPRS: { class: 'B', calculation: 'C', step: 940, statistical: true, level: 'item' },
  PCIP: { class: 'B', calculation: 'C', step: 941, statistical: true, level: 'item' },
}

/** Whether a condition type is an item's price, of which one at a time is active. */
export const isPriceType = (type: string): boolean =>
  conditionTypes[type]?.class === 'B' && !conditionTypes[type]?.statistical

/** A price is inactive because another follows it. */
export const inactiveBySubsequentPrice = 'Y'
