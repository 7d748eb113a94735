import { VendorError } from '@diorama/twin-kit/kernel/twin'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const suffixes = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'

/** The number in base 62, in as many digits as asked for; code-unit order is numeric order. */
export const base62 = (value: number, length: number): string => {
  let rest = value
  let text = ''
  for (let n = 0; n < length; n++) {
    text = digits.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** The 18-character form: three characters that say which of the fifteen are capitals. */
export const eighteen = (fifteen: string): string => {
  let suffix = ''
  for (let block = 0; block < 3; block++) {
    let bits = 0
    for (let at = 0; at < 5; at++) {
      const char = fifteen.charAt(block * 5 + at)
      if (char >= 'A' && char <= 'Z') bits |= 1 << at
    }
    suffix += suffixes.charAt(bits)
  }
  return fifteen + suffix
}

/** The 18-character form of an id in either form; undefined when it is none, or its checksum is wrong. */
export const readId = (text: string): string | undefined => {
  if (!/^[0-9A-Za-z]{15}([0-9A-Za-z]{3})?$/.test(text)) return undefined
  const full = eighteen(text.slice(0, 15))
  return text.length === 15 || full === text || full.toUpperCase() === text.toUpperCase() ? full : undefined
}

export const malformedId = (text: string): VendorError =>
  new VendorError('MALFORMED_ID', `malformed id ${text}`, { status: 400, data: { fields: [] } })

export const prefixOf = (id: string): string => id.slice(0, 3)

/** Ids of one organization: its pod, then a number that grows. Seeded numbers stay below the ones given out later. */
export const makeId = (prefix: string, pod: string, number: number): string =>
  eighteen(`${prefix}${pod}00${base62(number, 7)}`)

export const podOf = (organizationId: string): string => organizationId.slice(3, 6)

export const firstSeeded = 3_000_000
export const firstCreated = 900_000_000
