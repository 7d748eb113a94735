import type { Route } from '@diorama/sandbox/gateway/options'
import type { OpenModelAccess } from '../../models/access.ts'
import type { CallOrder } from '../../models/calls/call.ts'
import { hostsOf, providerAt } from '../../models/providers/by-host.ts'
import { isUsable, type Provider } from '../../models/providers/provider.ts'
import { endpoints } from '../../models/wires/endpoints.ts'
import { type FoundOperation, operationAt } from '../../models/wires/operations.ts'

/** What agents find where their clients look for a key. The real one is put in at the gateway. */
const placeholderKey = 'sk-diorama-placeholder'

type Allowed = ReadonlyMap<string, Extract<Route, { kind: 'forward' }>>
type ModelTarget = Pick<CallOrder, 'name' | 'provider' | 'credential' | 'found'>

/** What answers a request of an agent as a model: undefined where it is no call of a model, or of none that is allowed. */
export const modelTarget = (
  host: string,
  { method, path }: { readonly method: string; readonly path: string },
  { models, allowed }: { readonly models: OpenModelAccess; readonly allowed: Allowed },
): ModelTarget | undefined => {
  const found = operationAt(method, path)
  if (!found) return undefined
  const at = providerAt(host, models.providers)
  if (at && isOpen(at.provider) && at.provider.wire === found.operation.wire)
    return { name: at.name, provider: at.provider, credential: 'provider', found }
  const name = at?.name ?? host
  const forward = allowed.get(host)
  if (forward) return { name, ...carried(forward, found, path) }
  const answers = models.session.isOffline || models.session.mode === 'auto'
  return answers ? { name, provider: undefined, credential: 'provider', found } : undefined
}

const isOpen = (provider: Provider): boolean =>
  isUsable(provider) && (provider.agentModels === null || (provider.agentModels ?? []).length > 0)

/** A host that the deployment lets agents reach: the agent's own credential goes with the request. */
const carried = (
  { origin, allowPrivate = false }: Extract<Route, { kind: 'forward' }>,
  found: FoundOperation,
  path: string,
): Omit<ModelTarget, 'name'> => ({
  provider: {
    wire: found.operation.wire,
    baseUrl: origin,
    apiKey: undefined,
    keyName: 'the agent',
    allowPrivate,
  },
  credential: 'caller',
  found: { ...found, suffix: path.split('?', 1)[0] ?? path },
})

/** The host names of models that a trial can reach. */
export const modelHosts = ({ providers, session }: OpenModelAccess): string[] => {
  const vendors = session.isOffline ? Object.values(endpoints).map(({ host }) => host) : []
  const open = Object.entries(providers).filter(([, provider]) => session.isOffline || isOpen(provider))
  return [...new Set([...vendors, ...open.flatMap(([name, provider]) => hostsOf(name, provider))])]
}

/** Variables in which ordinary clients look for a key, for the wires that answer. */
export const modelVariables = (models: OpenModelAccess): Record<string, string> => {
  const hosts = modelHosts(models)
  const open = Object.values(endpoints).filter(({ host }) => hosts.includes(host))
  return Object.fromEntries(
    open.flatMap(({ keyVariables }) => keyVariables.map((name) => [name, placeholderKey])),
  )
}
