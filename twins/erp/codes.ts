/** Codes of the real system's customizing, as far as a world needs them. */

const currencyDecimals: Readonly<Record<string, number>> = {
  BHD: 3,
  CLP: 0,
  HUF: 2,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  TND: 3,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
}

export const decimalsOfCurrency = (code: string): number => currencyDecimals[code] ?? 2

/** Commercial unit, the unit's internal name, its ISO name, and how many decimals it is shown with. */
const units: Readonly<Record<string, readonly [internal: string, iso: string, decimals: number]>> = {
  PC: ['ST', 'PCE', 0],
  EA: ['EA', 'EA', 0],
  ST: ['ST', 'PCE', 0],
  BOX: ['KI', 'BX', 0],
  CAR: ['KAR', 'CT', 0],
  PAL: ['PAL', 'PF', 0],
  SET: ['SET', 'SET', 0],
  H: ['STD', 'HUR', 3],
  KG: ['KG', 'KGM', 3],
  G: ['G', 'GRM', 3],
  TO: ['TO', 'TNE', 3],
  LB: ['LB', 'LBR', 3],
  L: ['L', 'LTR', 3],
  ML: ['ML', 'MLT', 3],
  M: ['M', 'MTR', 3],
  M2: ['M2', 'MTK', 3],
  M3: ['M3', 'MTQ', 3],
  FT: ['FT', 'FOT', 3],
}

/** Whether a unit is one of the standard configuration. */
export const isUnit = (unit: string): boolean => Object.hasOwn(units, unit)

export const decimalsOfUnit = (unit: string, scale: number): number =>
  unit === '' ? scale : (units[unit]?.[2] ?? 0)

export const internalUnit = (unit: string): string => units[unit]?.[0] ?? unit
export const isoUnit = (unit: string): string => units[unit]?.[1] ?? unit

/** A, B and C: not yet processed, partially, completely. */
export type Progress = 'A' | 'B' | 'C'

export const defaults = {
  orderType: 'OR',
  itemCategory: 'TAN',
  language: 'EN',
  shippingCondition: '01',
  paymentTerms: '0001',
  materialGroup: '01',
  productType: 'HAWA',
  priceCondition: 'PR00',
  priceStep: '11',
  country: 'US',
  currency: 'USD',
  addressUsage: 'XXDEFAULT',
  forever: '9999-12-31',
} as const

/** The parties that every order has. */
export const orderPartners = ['SP', 'BP', 'PY', 'SH'] as const
export const customerRoles = ['FLCU00', 'FLCU01'] as const
export const supplierRoles = ['FLVN00', 'FLVN01'] as const

/** A key's value as a part of a row's id. */
export const idPart = (value: string): string => value.replaceAll('/', '%2F')

/** Where a plant keeps its stock: `171A` in plant `1710`. */
export const storageLocationOf = (plant: string): string => `${plant.slice(0, 3)}A`
