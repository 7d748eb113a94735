import type { ModelWire } from '@diorama/contract'

/** Where the vendor of a wire serves it, and the variables in which its clients look for their key. */
export interface Endpoint {
  readonly baseUrl: string
  readonly host: string
  readonly keyVariables: readonly string[]
}

/** The real endpoints of the wires: the one table of model vendors' hosts. */
export const endpoints: Readonly<Record<ModelWire, Endpoint>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    host: 'api.openai.com',
    keyVariables: ['OPENAI_API_KEY'],
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    host: 'api.anthropic.com',
    keyVariables: ['ANTHROPIC_API_KEY'],
  },
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    host: 'generativelanguage.googleapis.com',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
}
