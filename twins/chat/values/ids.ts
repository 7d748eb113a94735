import { hash } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A native id: the kind's letter and ten capitals or digits, drawn from hex digits that the kernel supplies. */
export const nativeId = (prefix: string, hex: string): string => `${prefix}0${capitals(hex, 9)}`

export const capitals = (hex: string, length: number): string => {
  let rest = BigInt(`0x${hex}`)
  let text = ''
  for (let n = 0; n < length; n++) {
    text += alphabet[Number(rest % 36n)] ?? '0'
    rest /= 36n
  }
  return text
}

/** A short id for a block or an action, the same for the same place in the same message. */
export const shortId = (...parts: readonly string[]): string =>
  hash('sha256', parts.join('\n'), 'base64').replace(/[+/=]/g, '').slice(0, 5)

export const messageId = (channel: string, ts: string): string => `${channel}:${ts}`
export const memberId = (channel: string, user: string): string => `${channel}:${user}`
