import { z } from 'zod'

/** What a key may do, each with the sentence that the reference and the console show. */
export const scopeMeanings = {
  'events:write': 'Record events.',
  'events:read': 'List, search and stream events, traces and signals.',
  'traces:write': 'Record traces, by the API or by OTLP.',
  'signals:write': 'Record signals.',
  'agents:write': 'Register agents, record runs, chat.',
  'agents:read': 'Read agents and their runs.',
  'worlds:read': 'Read worlds, their activity and differences.',
  'worlds:write': 'Launch, reset and stop worlds.',
  'twins:read': 'Read twins, their activity and records.',
  'twins:write': 'Create, reset and stop twins.',
  'suites:read': 'Read suites, tasks and scorers.',
  'suites:write': 'Change suites, tasks and scorers.',
  'evals:read': 'Read evaluation runs and results.',
  'evals:write': 'Start, cancel and rescore evaluations.',
  'models:read': 'Read model providers, cassettes and model calls.',
  'models:write': 'Change model providers and cassettes.',
  'keys:write': 'Create, list and revoke API keys.',
} as const

export type Scope = keyof typeof scopeMeanings
export const scopes = Object.keys(scopeMeanings) as [Scope, ...Scope[]]
export const Scope = z.enum(scopes)

/** `standard` keys have the scopes they were given; `platform` all; `operator` all, and the organizations. */
export const KeyClass = z.enum(['standard', 'platform', 'operator'])
export type KeyClass = z.infer<typeof KeyClass>
