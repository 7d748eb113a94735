import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Ranges that no job may reach through us, whatever a name resolves to: this machine, its networks, cloud metadata. */
const privateRanges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  // Metadata of machines, at an address that is public by its number.
  ['168.63.129.16', 32, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

const blocked = new BlockList()
for (const [network, prefix, family] of privateRanges) blocked.addSubnet(network, prefix, family)

export const isPrivateAddress = (address: string): boolean => {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const family = isIP(plain)
  if (family === 0) return false
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped) return isPrivateAddress(mapped)
  if (family === 6 && /^::ffff:/i.test(plain)) return true
  return blocked.check(plain, family === 4 ? 'ipv4' : 'ipv6')
}

/** A lookup that fails when a name leads to a private address: an allowed name must not become a way in. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, '', 4)
      return
    }
    const hidden = addresses.find(({ address }) => isPrivateAddress(address))
    const first = addresses[0]
    if (hidden || !first) {
      callback(new PrivateAddressError(`${hostname} resolves to a private address`), '', 4)
      return
    }
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'
}

/** The name in `name`, `name:port` or `[v6]:port`, in the one spelling that routes use. */
export const hostOf = (authority: string): string => {
  const bracketed = /^\[([^\]]*)\]/.exec(authority)?.[1]
  return (bracketed ?? authority.replace(/^.*@/, '').replace(/:\d*$/, '')).toLowerCase().replace(/\.$/, '')
}
