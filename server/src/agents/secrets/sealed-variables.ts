import { AgentRunSpec } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'
import type { Sealing } from '../../storage/secrets/sealing.ts'

/** How the variables of agents' versions are stored: sealed, since people put keys into them. */
export interface SealedVariables {
  /** The run of a version as it is stored. */
  readonly seal: (of: VersionPlace, run: AgentRunSpec) => Record<string, unknown>
  readonly open: (of: VersionPlace, stored: unknown) => AgentRunSpec | null
}

export interface VersionPlace {
  readonly organizationId: string
  readonly agent: string
  readonly version: string
}

export const sealVariables = (sealing: Pick<Sealing, 'seal' | 'open'>): SealedVariables => {
  // The context is authenticated, so variables that are copied to another version do not open there.
  const contextOf = ({ organizationId, agent, version }: VersionPlace) =>
    `agent variables ${organizationId} ${agent} ${version}`

  return {
    seal: (of, { env, ...run }) =>
      Object.keys(env).length === 0
        ? { ...run, env }
        : { ...run, sealed_env: sealing.seal(JSON.stringify(env), contextOf(of)) },
    open: (of, stored) => {
      if (!isRecord(stored) || typeof stored.sealed_env !== 'string')
        return AgentRunSpec.nullable().parse(stored)
      const { sealed_env, ...run } = stored
      return AgentRunSpec.parse({ ...run, env: JSON.parse(sealing.open(sealed_env, contextOf(of))) })
    },
  }
}
