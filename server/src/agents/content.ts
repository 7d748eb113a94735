import { createHash } from 'node:crypto'
import {
  type AgentModel,
  type AgentRegister,
  type AgentRunSpec,
  type AgentTool,
  type ErrorDetail,
  twinKinds,
} from '@diorama/contract'
import { escapePointer } from '@diorama/contract/fields'
import { isRecord } from '@diorama/contract/records'
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
      message: 'cannot be combined with a bundle; send the files in one of them',
    })
  details.push(...runFaults(body))
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

/** What each kind needs and cannot use, every fault at once. */
const runFaults = ({ run, model, files, bundle_sha256 }: AgentRegister): ErrorDetail[] => {
  if (!run) return []
  const kind = run.kind ?? 'command'
  const isCommand = kind === 'command' || kind === 'acp'
  const isSandboxed = isCommand || kind === 'image'
  const isOutside = kind === 'http' || kind === 'a2a'
  const faults: ErrorDetail[] = []
  const fault = (field: string, message: string) => faults.push({ pointer: `/run/${field}`, message })
  if (isCommand && run.command === undefined) fault('command', `is required for an agent of the kind ${kind}`)
  if (isOutside && run.url === undefined) fault('url', `is required for an agent of the kind ${kind}`)
  if (kind === 'chat' && model === null)
    faults.push({ pointer: '/model', message: 'is required for an agent of the kind chat' })
  const unused = [
    ['command', isSandboxed],
    ['image', kind === 'image'],
    ['url', isOutside],
    ['bearer_secret', isOutside],
    ['max_turns', kind === 'chat'],
    ['secrets', isSandboxed],
    ['listen', kind === 'command'],
    ['dependencies', isCommand],
    ['install_scripts', isCommand],
  ] as const
  for (const [field, isUsed] of unused)
    if (!isUsed && run[field] !== undefined) fault(field, `cannot be used by an agent of the kind ${kind}`)
  if (run.install_scripts !== undefined && run.dependencies === undefined)
    fault('install_scripts', 'has no meaning without dependencies')
  if (run.listen && run.network === 'none') fault('network', 'cannot be none for an agent that listens')
  for (const service of Object.keys(run.listen?.settings ?? {}))
    if (!twinKinds.some((kind) => kind === service))
      fault(`listen/settings/${service}`, `is no service; the services are ${twinKinds.join(', ')}`)
  if (!isSandboxed && Object.keys(run.env).length > 0)
    fault('env', `cannot be used by an agent of the kind ${kind}, which does not run in the sandbox`)
  if (!isSandboxed && run.network === 'none')
    fault('network', `cannot be none for an agent of the kind ${kind}, which does not run in the sandbox`)
  if (!isSandboxed && (Object.keys(files).length > 0 || bundle_sha256 !== null))
    faults.push({ pointer: '/files', message: `are not used by an agent of the kind ${kind}` })
  if (kind === 'image' && Object.keys(files).length > 0)
    faults.push({
      pointer: '/files',
      message:
        'are not used by an agent of the kind image, whose files are its image; upload it as the bundle',
    })
  return faults
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
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  )
