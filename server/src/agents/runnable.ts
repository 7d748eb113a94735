import type { AgentKind, AgentListen, AgentModel } from '@diorama/contract'
import type { ImageSource } from '@diorama/sandbox/images/image'
import { whyNotRunnable } from './agents.ts'
import type { AgentPart } from './open.ts'

const defaultTurns = 40
/** Not a name that a variable can have, so that it meets none. */
const bearerVariable = '(bearer)'

/** What runs: an agent's version, as far as a trial must know it. */
export interface RunnableAgent {
  readonly reference: string
  readonly kind: AgentKind
  /** Empty for kinds that are no command. */
  readonly command: string | readonly string[]
  /** Where an agent outside is. */
  readonly url: string | undefined
  /** The token that an agent outside is called with. */
  readonly bearer: string | undefined
  readonly maxTurns: number
  readonly model: AgentModel | null
  readonly instructions: string
  readonly timeoutSeconds: number
  readonly env: Readonly<Record<string, string>>
  /** Variables with secret values: given to the command, and taken out of what is kept of it. */
  readonly secrets: Readonly<Record<string, string>>
  readonly network: 'world' | 'none'
  /** Set for an agent that waits to be called. */
  readonly listen: AgentListen | undefined
  readonly files: Readonly<Record<string, string>>
  readonly bundle: Uint8Array | undefined
  /** Gives the packed dependencies, once they are installed; throws DependenciesFailed where they cannot be. */
  readonly dependencies: (() => Promise<Uint8Array>) | undefined
  /** Of the kind image. */
  readonly image: ImageSource | undefined
}

/** What a trial needs to run a version, why it cannot be run, or undefined where there is no such version. */
export const runnableAgent = async (
  { agents, secrets, hostImages, dependencies }: AgentPart,
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
  const isImage = run.kind === 'image'
  const image = isImage
    ? ((await agents.image(version)) ?? (await hostImages.find(run.image ?? '')))
    : undefined
  if (isImage && !image)
    return {
      unusable:
        run.image === undefined
          ? `${name} has no image: upload it as the bundle, or name one of the deployment's in run.image.`
          : `${name} names the image ${run.image}, which the deployment does not have (DIORAMA_IMAGES), and has no bundle.`,
    }
  const named = run.bearer_secret === undefined ? {} : { [bearerVariable]: run.bearer_secret }
  const secret = await secrets.variables(organizationId, { ...run.secrets, ...named })
  if ('missing' in secret)
    return { unusable: `${name} names the secret ${secret.missing}, which does not exist.` }
  const { lockSha256 } = version
  const installed = lockSha256 === null ? undefined : await dependencies.shown(organizationId, lockSha256)
  if (installed?.status === 'failed')
    return { unusable: `The dependencies of ${name} could not be installed: ${installed.error ?? ''}` }
  const { [bearerVariable]: bearer, ...variables } = secret.env
  return {
    reference: name,
    kind: run.kind ?? 'command',
    command: run.command ?? '',
    url: run.url,
    bearer,
    maxTurns: run.max_turns ?? defaultTurns,
    model: version.content.model,
    instructions: version.content.instructions,
    timeoutSeconds: run.timeout_seconds,
    env: run.env,
    secrets: variables,
    network: run.network,
    listen: run.listen,
    files,
    bundle: isImage ? undefined : await agents.bundle(version),
    dependencies: lockSha256 === null ? undefined : () => dependencies.archive(organizationId, lockSha256),
    image,
  }
}
