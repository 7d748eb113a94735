import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type PackageManager, packageManagers } from '@diorama/contract/agent-dependencies'
import type { Client } from '@diorama/sdk/index.ts'
import { Complaint } from '../failure.ts'
import { packAgent } from './agent-files.ts'

/** What `agent register` and `gate` both take about an agent. */
export interface AgentOptions {
  readonly run?: string
  readonly name?: string
  readonly agentVersion?: string
  readonly timeout?: number
  readonly env?: readonly string[]
  readonly network?: 'world' | 'none'
  readonly instructions?: string
  readonly description?: string
  readonly status?: 'current' | 'stable' | 'draft' | 'deprecated'
  readonly bundle?: boolean
  readonly dependencies?: readonly string[]
  readonly installScripts?: boolean
}

export interface Watching {
  readonly note: (text: string) => void
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
}

const lookEveryMs = 500

/** Registers the files of a folder as a version of an agent; the same content again is no error. */
export const registerAgent = async (
  client: Client,
  {
    cwd,
    folder: given,
    options,
    note,
    signal,
  }: Watching & { cwd: string; folder: string; options: AgentOptions },
) => {
  const folder = resolve(cwd, given)
  const dependencies = managersOf(options.dependencies)
  const installed = dependencies === undefined ? [] : ['node_modules', 'python_packages']
  const packed = await packAgent(folder, options.bundle === true, installed)
  const name = options.name ?? basename(folder)
  const instructions =
    options.instructions === undefined
      ? undefined
      : await readFile(resolve(cwd, options.instructions), 'utf8')
  const run = {
    command: options.run ?? '',
    timeoutSeconds: options.timeout,
    env: variables(options.env ?? []),
    network: options.network,
    dependencies,
    installScripts: options.installScripts,
  }
  const version =
    options.agentVersion ?? (await declaredVersion(folder)) ?? digestOf([packed.digest, run, instructions])
  const made = await client.agents.register({
    name,
    version,
    instructions,
    description: options.description,
    status: options.status,
    files: packed.files,
    bundleSha256: packed.bundle?.sha256,
    run,
  })
  if (packed.bundle && made.bundle?.size == null)
    await client.agents.uploadBundle(name, version, packed.bundle.bytes)
  if (dependencies !== undefined) await untilInstalled(client, made, { note, signal })
  return { made, packed }
}

/** A version for files and settings: with another command the same files are another version. */
const digestOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12)

/** Reports what becomes of the installation, and fails with its log. */
const untilInstalled = async (
  client: Client,
  { name, version, reference }: { name: string; version: string; reference: string },
  { note, signal }: Watching,
): Promise<void> => {
  let shown = ''
  for (;;) {
    signal.throwIfAborted()
    const { dependencies } = await client.agents.getVersion(name, version)
    const status = dependencies?.status ?? 'queued'
    if (status !== shown) note(`dependencies of ${reference}: ${status}`)
    shown = status
    if (status === 'ready') return
    if (status === 'failed')
      throw new Complaint(
        `The dependencies of ${reference} could not be installed: ${dependencies?.error}\n${dependencies?.log}`,
      )
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

const managersOf = (given: readonly string[] | undefined): PackageManager[] | undefined =>
  given?.map((name) => {
    const manager = packageManagers.find((one) => one === name)
    if (!manager) throw new Complaint(`--dependencies ${name} must be one of ${packageManagers.join(', ')}.`)
    return manager
  })

const variables = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new Complaint(`--env ${text} must have the form NAME=value.`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )

const declaredVersion = async (folder: string): Promise<string | undefined> => {
  try {
    const manifest: { version?: unknown } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return typeof manifest.version === 'string' ? manifest.version : undefined
  } catch {
    return undefined
  }
}
