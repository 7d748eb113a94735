import type { Route } from '@diorama/sandbox/gateway/options'

export interface ServiceHosts {
  readonly service: string
  /** Names, and patterns such as `*.example.com`, which matches any one or more labels before the rest. */
  readonly hosts: readonly string[]
}

/** Where a request to a host goes: the service with that exact name, then a host that is allowed, then a pattern. */
export const routeOf = (
  host: string,
  services: readonly ServiceHosts[],
  allowed: ReadonlyMap<string, Extract<Route, { kind: 'forward' }>>,
): Route | undefined => {
  const exact = services.find(({ hosts }) => hosts.includes(host))
  if (exact) return { kind: 'twin', service: exact.service }
  const forward = allowed.get(host)
  if (forward) return forward
  const matched = services.find(({ hosts }) => hosts.some((pattern) => matches(host, pattern)))
  return matched && { kind: 'twin', service: matched.service }
}

const matches = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') && host.length > pattern.length - 1 && host.endsWith(pattern.slice(1))
