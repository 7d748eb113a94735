/** Exact decimals as text: sums and prices must not know of binary fractions. */

const form = /^([+-]?)(\d+)(?:\.(\d+))?$/

export const isDecimal = (text: string): boolean => form.test(text)

const parts = (text: string): { units: bigint; scale: number } => {
  const match = form.exec(text)
  if (!match) throw new Error(`${text} is no decimal`)
  const [, sign, whole = '0', fraction = ''] = match
  const units = BigInt(whole + fraction)
  return { units: sign === '-' ? -units : units, scale: fraction.length }
}

const write = (units: bigint, scale: number): string => {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const text = scale === 0 ? whole : `${whole}.${digits.slice(-scale)}`
  return negative && units !== 0n ? `-${text}` : text
}

/** Half away from zero, as commerce rounds. */
const rescale = (units: bigint, from: number, to: number): bigint => {
  if (to >= from) return units * 10n ** BigInt(to - from)
  const divisor = 10n ** BigInt(from - to)
  const half = divisor / 2n
  return units >= 0n ? (units + half) / divisor : -((-units + half) / divisor)
}

export const round = (text: string, scale: number): string => {
  const { units, scale: from } = parts(text)
  return write(rescale(units, from, scale), scale)
}

/** At least so many decimals, and more where the value has them. */
export const withDecimals = (text: string, least: number): string => {
  const { units, scale } = parts(text)
  let [value, digits] = [units, scale]
  while (digits > least && value % 10n === 0n) [value, digits] = [value / 10n, digits - 1]
  return digits < least ? write(rescale(value, digits, least), least) : write(value, digits)
}

export const add = (a: string, b: string): string => {
  const [left, right] = [parts(a), parts(b)]
  const scale = Math.max(left.scale, right.scale)
  return write(rescale(left.units, left.scale, scale) + rescale(right.units, right.scale, scale), scale)
}

export const negate = (text: string): string => {
  const { units, scale } = parts(text)
  return write(-units, scale)
}

export const multiply = (a: string, b: string): string => {
  const [left, right] = [parts(a), parts(b)]
  return write(left.units * right.units, left.scale + right.scale)
}

export const divide = (a: string, b: string, scale: number): string => {
  const [left, right] = [parts(a), parts(b)]
  if (right.units === 0n) return write(0n, scale)
  const widened = rescale(left.units, left.scale, left.scale + right.scale + scale + 2)
  return write(rescale(widened / right.units, left.scale + scale + 2, scale), scale)
}

export const compareDecimals = (a: string, b: string): number => {
  if (a.length < 16 && b.length < 16) {
    const [left, right] = [Number(a), Number(b)]
    return left < right ? -1 : left > right ? 1 : 0
  }
  const [left, right] = [parts(a), parts(b)]
  const scale = Math.max(left.scale, right.scale)
  const difference = rescale(left.units, left.scale, scale) - rescale(right.units, right.scale, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** A number of a blueprint as a decimal, without an exponent. */
export const fromNumber = (value: number, scale: number): string =>
  round(value.toFixed(Math.min(scale + 3, 20)), scale)

/** Whether a decimal fits a precision and a scale. */
export const fits = (text: string, precision: number, scale: number): boolean => {
  const [, , whole = '', fraction = ''] = form.exec(text) ?? []
  return fraction.replace(/0+$/, '').length <= scale && whole.replace(/^0+/, '').length <= precision - scale
}
