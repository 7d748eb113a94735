const number = String.raw`\d{1,3}(?:[ ,.'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?`
const currency = String.raw`(?:[€$£¥]|\b(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN)\b)`
const withCurrency = new RegExp(`${currency}\\s?(${number})|(${number})\\s?${currency}`, 'giu')
/** A number after one of these names a thing. */
const named = String.raw`(?:order|invoice|quotation|quote|case|ticket|issue|document|delivery|number|no|po|so)\.?:?\s`
const plain = new RegExp(`(?<![\\w#-])(?<!\\b${named})(${number})(?![\\w-])`, 'giu')

/**
 * The amount that a request names: the highest one with a currency or, where there is none, the only number that is not the name of a thing.
 * Undefined where that is not clear.
 */
export const amountIn = (text: string): number | undefined => {
  const priced = [...text.matchAll(withCurrency)].map(([, before, after]) =>
    readAmount(before ?? after ?? ''),
  )
  if (priced.length > 0) return Math.max(...priced)
  const numbers = [...text.matchAll(plain)].map(([, found]) => readAmount(found ?? ''))
  return numbers.length === 1 ? numbers[0] : undefined
}

/** Three digits at the end are thousands, one or two are a fraction. */
const readAmount = (text: string): number => {
  const fraction = /[.,](\d{1,2})$/.exec(text)
  const whole = fraction ? text.slice(0, fraction.index) : text
  return Number(`${whole.replaceAll(/\D/g, '')}.${fraction?.[1] ?? '0'}`)
}
