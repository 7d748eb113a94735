import { type RouteSpec, scopeMeanings } from '@diorama/contract'

/** What the reference says of a group of operations. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Operating: 'Health, metrics and this reference. No key is needed.',
  Account: 'The organization of the key, and its API keys.',
  Operator: 'Organizations and their limits, for keys of class `operator`.',
  Worlds: 'Simulated companies: launch them from a blueprint, reset, stop and compare them.',
  Environments: 'Named sets of twins that are started together.',
  Twins: 'Running copies of single services, what was asked of them and what changed.',
  Telemetry: 'Events, traces and signals: record, search and stream them.',
  Agents: 'Agents, their versions, bundles, runs and chats.',
  Suites: 'Task suites, their frozen versions and the proof that a suite can be passed.',
  Scorers: 'Programs and judges that decide whether a task was done.',
  Models: 'Providers of models, their keys and prices; recorded model calls and cassettes.',
  Evaluations: 'Runs of agents on suites, their trials, results and comparisons.',
}

/** What a caller must know of an operation besides its summary, from the same table that the edge enforces. */
export const operationDescription = (route: RouteSpec): string =>
  [
    route.summary,
    scopeSentence(route),
    route.creates
      ? 'Send an `Idempotency-Key` to retry safely: the same request with the same key gets the first reply.'
      : '',
    route.query && 'cursor' in route.query.shape
      ? 'The list is paged: pass `next_cursor` of a page as `cursor` to get the next one, until it is null.'
      : '',
    route.gives === 'text/event-stream'
      ? 'The reply is a stream of server-sent events; reconnect with the id of the last one to miss none.'
      : '',
    route.secret ? 'The reply holds a secret that is not shown again.' : '',
    route.bodyOptional ? 'The body may be left out.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')

const scopeSentence = ({ scope }: RouteSpec): string => {
  if (scope === 'none') return 'No key is needed.'
  if (scope === 'any') return 'Any valid key may call it.'
  if (scope === 'operator') return 'The key must be of class `operator`.'
  return `The key needs the scope \`${scope}\` (${scopeMeanings[scope].replace(/\.$/, '').toLowerCase()}).`
}
