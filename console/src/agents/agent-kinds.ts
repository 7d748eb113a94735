import type { AgentKind, AgentRegister } from '@diorama/contract'
import type { AgentFiles } from './agent-upload.ts'

/** What each kind of agent is, and what the form asks for. */
export const kinds = {
  files: { label: 'Files and a command', asks: ['files', 'command'] },
  command: { label: 'A command alone', asks: ['command'] },
  acp: { label: 'Agent Client Protocol, started by a command', asks: ['files', 'command'] },
  image: { label: 'An image of the deployment', asks: ['image'] },
  http: { label: 'Running already, over HTTP', asks: ['url'] },
  a2a: { label: 'Running already, Agent2Agent', asks: ['url'] },
  chat: { label: 'A model alone, with the tools of the world', asks: ['model'] },
} as const
export type Kind = keyof typeof kinds
export const isKind = (text: string): text is Kind => text in kinds
export type Part = (typeof kinds)[Kind]['asks'][number]
export const asksFor = (kind: Kind, part: Part): boolean => kinds[kind].asks.some((one) => one === part)

export interface AgentDraft {
  readonly kind: Kind
  readonly name: string
  readonly version: string
  readonly command: string
  readonly image: string
  readonly url: string
  readonly provider: string
  readonly model: string
  readonly instructions: string
  readonly files: AgentFiles
}

export const emptyDraft: AgentDraft = {
  kind: 'files',
  name: '',
  version: '1.0.0',
  command: '',
  image: '',
  url: '',
  provider: '',
  model: '',
  instructions: '',
  files: {},
}

/** Files may be left out where a command alone can be an agent of the protocol. */
const hasPart = (draft: AgentDraft, part: Part): boolean => {
  if (part === 'files') return draft.kind === 'acp' || Object.keys(draft.files).length > 0
  if (part === 'model') return draft.provider !== '' && draft.model !== ''
  return draft[part] !== ''
}

export const isComplete = (draft: AgentDraft): boolean =>
  draft.name !== '' && draft.version !== '' && kinds[draft.kind].asks.every((part) => hasPart(draft, part))

const wireKind = (kind: Kind): AgentKind => (kind === 'files' ? 'command' : kind)

/** The registration that a draft asks for: only what its kind has. */
export const registration = (draft: AgentDraft): Partial<AgentRegister> => {
  const { kind, name, version, command, image, url, provider, model, instructions, files } = draft
  return {
    name,
    version,
    files: asksFor(kind, 'files') ? files : {},
    instructions,
    ...(asksFor(kind, 'model') ? { model: { provider, id: model } } : {}),
    run: {
      kind: wireKind(kind),
      ...(asksFor(kind, 'command') ? { command } : {}),
      ...(asksFor(kind, 'image') ? { image } : {}),
      ...(asksFor(kind, 'url') ? { url } : {}),
      timeout_seconds: 600,
      env: {},
      network: 'world',
    },
  }
}
