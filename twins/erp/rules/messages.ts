import { Refusal } from '../../kernel/twin.ts'
import type { Notice } from '../../kernel/wires/odata/write/operations.ts'

/**
 * The application's own messages: class and number, and the text with its places. The texts are those that callers of
 * the real system report; where the number is not known from a recording it is the closest of its class.
 */
const messages = {
  'V1/302': 'Sales document &1 is not in the database or has been archived',
  'V1/384': 'Sold-to party &1 not maintained for sales area &2 &3 &4',
  'V1/382': 'Material &1 is not defined for sales org.&2, distr.chan.&3, language &4',
  'V1/555': 'Sales document type &1 is not defined',
  'V1/045': 'Item &1 of sales document &2 does not exist',
  'V1/118': 'Sales document &1 cannot be deleted: subsequent documents exist',
  'V1/119': 'Item &1 cannot be deleted: it has been delivered',
  'V1/501': 'The order quantity &1 is smaller than the delivered quantity &2',
  'V1/122': 'The order quantity must not be negative',
  'V1/123': 'The material of item &1 cannot be changed: it has been delivered',
  'V1/152': 'Unit of measure &1 is not defined for material &2',
  'V1/204': 'Item number &1 already exists',
  'V1/205': 'Item number &1 is not allowed',
  'V1/310': 'Enter the sold-to party',
  'V1/311': 'Enter the material of the item',
  'V1/320': 'Partner function &1 cannot be deleted',
  'V1/321': 'Customer &1 does not exist',
  'V1/330': 'Currency &1 is not defined',
  'V1/391': 'The requested delivery date &1 is in the past',
  'V1/392': 'Item &1 has no price; its net value is zero',
  'V1/400': 'Sales document &1 is not waiting for approval',
  'V1/330/price': 'Price condition &1 of item &2 cannot be deleted',
  'R1/101': 'Business partner category &1 is not allowed',
  'R1/102': 'Enter the name of the business partner',
  'R1/103': 'Enter the last name of the business partner',
  'R1/104': 'Business partner &1 does not exist',
  'R1/105': 'Business partner category cannot be changed',
  'R1/106': 'Business partner &1 already has the role &2',
  'R1/107': 'Enter the country of the address',
  'R1/108': 'The standard address of business partner &1 cannot be deleted',
  'F2/153': 'Customer &1 does not exist',
  'VR/010': 'Sales area &1 &2 &3 is not defined',
} as const

export type MessageCode = keyof typeof messages

const filled = (code: MessageCode, values: readonly string[]): string =>
  messages[code].replace(/&(\d)/g, (_, n: string) => values[Number(n) - 1] ?? '')

const codeOf = (code: MessageCode): string => code.split('/').slice(0, 2).join('/')

/** A business rule's refusal; `target` names the property at fault. */
export const refusal = (code: MessageCode, values: readonly string[] = [], target = ''): Refusal =>
  new Refusal(codeOf(code), filled(code, values), { status: 400, data: { business: true, target } })

/** A warning beside a success. */
export const warning = (code: MessageCode, values: readonly string[], target = ''): Notice => ({
  code: codeOf(code),
  text: filled(code, values),
  severity: 'warning',
  ...(target === '' ? {} : { target }),
})
