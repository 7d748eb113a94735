export interface NetworkAddress {
  readonly address: string
  readonly family: string
  readonly internal: boolean
}

const wildcards = new Set(['0.0.0.0', '::', ''])

/**
 * Where other nodes reach this one when it is not configured: the address it listens on or, when it listens on all of them,
 * the first of this machine's that is not a loopback or link-local one, IPv4 before IPv6.
 */
export const advertisedAddress = ({
  host,
  listening,
  interfaces,
}: {
  host: string
  listening: string
  interfaces: readonly NetworkAddress[]
}): string => {
  if (!wildcards.has(host)) return listening
  const usable = interfaces.filter(
    ({ address, internal }) => !internal && !/^(169\.254\.|fe80:)/i.test(address),
  )
  const found = usable.find(({ family }) => family === 'IPv4') ?? usable[0]
  if (!found) return listening
  const { protocol, port } = new URL(listening)
  const name = found.family === 'IPv6' ? `[${found.address}]` : found.address
  return `${protocol}//${name}:${port}`
}
