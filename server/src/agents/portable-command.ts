import { ApiError } from '../http/api-error.ts'
import type { AgentPart } from './open.ts'
import { runnableAgent } from './runnable.ts'

/** An agent that can be started elsewhere: a command with its files. */
export interface PortableCommand {
  readonly reference: string
  readonly command: string | readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly files: Readonly<Record<string, string>>
  /** A .tar.gz of its files, where they did not come in the request. */
  readonly bundle: Uint8Array | undefined
}

/** What of a registered agent can be handed on; refused where it depends on this service. */
export const portableCommand =
  (agents: AgentPart) =>
  async (organizationId: string, reference: string): Promise<PortableCommand> => {
    const agent = await runnableAgent(agents, organizationId, reference)
    const refuse = (message: string) => {
      const details = [{ pointer: '/oracle', message }]
      return new ApiError('invalid_reference', `oracle ${message}`, { details })
    }
    if (!agent) throw refuse('names no registered agent')
    if ('unusable' in agent) throw refuse(`cannot be run: ${agent.unusable}`)
    if (agent.kind !== 'command' || agent.listen || agent.dependencies)
      throw refuse('must be an agent of the kind command, without run.listen and run.dependencies')
    if (Object.keys(agent.secrets).length > 0) throw refuse('has secrets, which are not exported')
    const { command, env, timeoutSeconds, files, bundle } = agent
    return { reference: agent.reference, command, env, timeoutSeconds, files, bundle }
  }
