import { whyNotRunnable } from './agents.ts'
import type { AgentPart } from './open.ts'

/** What runs: an agent's version, as far as a trial must know it. */
export interface RunnableAgent {
  readonly reference: string
  readonly command: string | readonly string[]
  readonly timeoutSeconds: number
  readonly env: Readonly<Record<string, string>>
  /** Variables with secret values: given to the command, and taken out of what is kept of it. */
  readonly secrets: Readonly<Record<string, string>>
  readonly network: 'world' | 'none'
  readonly files: Readonly<Record<string, string>>
  readonly bundle: Uint8Array | undefined
}

/** What a trial needs to run a version, why it cannot be run, or undefined where there is no such version. */
export const runnableAgent = async (
  { agents, secrets }: AgentPart,
  organizationId: string,
  reference: string,
): Promise<RunnableAgent | { unusable: string } | undefined> => {
  const version = await agents.resolve(organizationId, reference)
  if (!version) return undefined
  const name = `${version.agent}@${version.version}`
  const unusable = whyNotRunnable(version)
  if (unusable !== undefined) return { unusable }
  const { run, files } = version.content
  if (!run) return { unusable: `${name} has no run command, so it cannot be evaluated.` }
  const secret = await secrets.variables(organizationId, run.secrets ?? {})
  if ('missing' in secret)
    return { unusable: `${name} names the secret ${secret.missing}, which does not exist.` }
  return {
    reference: name,
    command: run.command,
    timeoutSeconds: run.timeout_seconds,
    env: run.env,
    secrets: secret.env,
    network: run.network,
    files,
    bundle: await agents.bundle(version),
  }
}
