import { isPrivateAddress } from '@diorama/sandbox/gateway/addresses'

/**
 * The rule for base URLs that organizations set, so that none of them becomes a way into the deployment's network:
 * https, no credentials, no query, no private address. Names are resolved at each connection, where the same addresses
 * are refused. Hosts that the operator lists are exempt from TLS and from the check of addresses.
 */
export const baseUrlFault = (text: string, privateHosts: readonly string[]): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL, such as https://models.example/v1'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '')
    return 'must not hold credentials; send the key in api_key instead'
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment'
  if (isExempt(text, privateHosts)) return undefined
  if (url.protocol !== 'https:') return 'must begin with https://'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (
    isPrivateAddress(host) ||
    /^localhost$|\.localhost$|\.internal$|\.local$/.test(host) ||
    !/[.:]/.test(host)
  )
    return 'names a private host, which DIORAMA_MODEL_PRIVATE_HOSTS does not list'
  return undefined
}

/** Whether the operator lets organizations reach this host wherever it is. */
export const isExempt = (baseUrl: string, privateHosts: readonly string[]): boolean => {
  const { hostname, host } = new URL(baseUrl)
  return privateHosts.includes(hostname.toLowerCase()) || privateHosts.includes(host.toLowerCase())
}
