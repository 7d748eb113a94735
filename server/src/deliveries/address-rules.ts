import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from '@diorama/sandbox/gateway/addresses'

/** Where deliveries outside trials may go, against server-side request forgery. */
export interface AddressRules {
  /** The lookup for a connection to this host: the address that was checked is the one that is connected to. */
  readonly lookupFor: (host: string) => LookupFunction
  /** Why no connection to this host may be tried, as far as its name says; undefined where it may. */
  readonly refusal: (url: URL) => string | undefined
}

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** One rule: `public`, an address, a range such as 127.0.0.0/8, or a host name such as `*.example.com` or `localhost:3000`. */
export const isAddressRule = (rule: string): boolean =>
  rule === 'public' ||
  isIP(rule) !== 0 ||
  rangeOf(rule) !== undefined ||
  /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/.test(rule)

export const createAddressRules = (rules: readonly string[], lookup = systemLookup): AddressRules => {
  const allowed = new BlockList()
  const names: string[] = []
  for (const rule of rules) {
    const range = rangeOf(rule)
    if (rule === 'public') continue
    if (range) allowed.addSubnet(range.network, range.prefix, range.family)
    else if (isIP(rule)) allowed.addAddress(rule, isIP(rule) === 4 ? 'ipv4' : 'ipv6')
    else names.push(rule)
  }
  const isPublicAllowed = rules.includes('public')
  const isNamed = (host: string, port: string): boolean =>
    names.some((rule) => {
      const [name = '', onPort] = rule.split(':')
      if (onPort !== undefined && onPort !== port) return false
      return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
    })
  const isAllowed = (address: string): boolean =>
    allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ||
    (isPublicAllowed && !isPrivateAddress(address))

  const checked =
    (host: string): LookupFunction =>
    (name, options, callback) => {
      lookup(name, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 4)
        const [first] = addresses
        const hidden = addresses.find(({ address }) => !isAllowed(address))
        if (hidden || !first)
          return callback(new AddressRefused(`${host} resolves to an address that is not allowed`), '', 4)
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
      })
    }

  return {
    lookupFor: (host) => {
      const [name = '', port = ''] = host.split(' ')
      return isNamed(name, port) ? lookup : checked(name)
    },
    refusal: (url) => {
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        return `${url.protocol} is not a scheme of deliveries`
      if (url.username !== '' || url.password !== '') return 'the address holds a credential'
      const host = hostOf(url)
      if (isIP(host) === 0 || isNamed(host, portOf(url)) || isAllowed(host)) return undefined
      return `${host} is not an address that this deployment allows (DIORAMA_DELIVERY_ALLOW)`
    },
  }
}

export const hostOf = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
    .replace(/\.$/, '')
export const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

const rangeOf = (rule: string) => {
  const [network = '', prefix = ''] = rule.split('/')
  const family = isIP(network)
  const bits = Number(prefix)
  if (family === 0 || !/^\d{1,3}$/.test(prefix) || bits > (family === 4 ? 32 : 128)) return undefined
  return { network, prefix: bits, family: family === 4 ? 'ipv4' : 'ipv6' } as const
}
