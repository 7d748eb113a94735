import { createHash } from 'node:crypto'
import type { AgentModel, AgentRegister, AgentRunSpec, AgentTool, ErrorDetail } from '@diorama/contract'
import { escapePointer } from '@diorama/contract/fields'
import { ApiError } from '../http/api-error.ts'
import { inlineFaults } from './paths.ts'

/** What a version is. It never changes; its digest names it. */
export interface AgentContent {
  readonly framework: string | null
  readonly model: AgentModel | null
  readonly instructions: string
  readonly tools: readonly AgentTool[]
  readonly run: AgentRunSpec | null
  readonly files: Readonly<Record<string, string>>
  readonly bundleSha256: string | null
}

const wireNames = { bundleSha256: 'bundle_sha256' } as const

/** The content of a registration; refuses what cannot be meant, every fault at once. */
export const contentOf = (body: AgentRegister): AgentContent => {
  const details: ErrorDetail[] = inlineFaults(body.files).map(({ path, message }) => ({
    pointer: path === '' ? '/files' : `/files/${escapePointer(path)}`,
    message,
  }))
  if (body.run_command !== undefined && body.run)
    details.push({ pointer: '/run_command', message: 'is short for run.command; send one of them' })
  if (body.bundle_sha256 !== null && Object.keys(body.files).length > 0)
    details.push({
      pointer: '/files',
      message: 'cannot stand beside a bundle; send the files in one of them',
    })
  const [first] = details
  if (first)
    throw new ApiError('malformed', `The body does not fit: ${first.pointer} ${first.message}.`, { details })
  const run =
    body.run_command === undefined
      ? body.run
      : { command: body.run_command, timeout_seconds: 600, env: {}, network: 'world' as const }
  return {
    framework: body.framework,
    model: body.model,
    instructions: body.instructions,
    tools: body.tools,
    run,
    files: body.files,
    bundleSha256: body.bundle_sha256,
  }
}

/** The same content has the same digest, in whichever order its fields were sent. */
export const contentDigest = (content: AgentContent): string =>
  createHash('sha256').update(canonical(content)).digest('hex')

/** The fields in which two contents differ, as the wire spells them. */
export const differences = (there: AgentContent, sent: AgentContent): string[] => {
  const fields = ['framework', 'model', 'instructions', 'tools', 'run', 'files', 'bundleSha256'] as const
  return fields
    .filter((field) => canonical(there[field]) !== canonical(sent[field]))
    .map((field) => (field === 'bundleSha256' ? wireNames.bundleSha256 : field))
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
