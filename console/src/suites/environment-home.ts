import type { EnvironmentVersion } from '@diorama/contract'
import { useQuery } from '@tanstack/react-query'
import { call, type Reply } from '../api.ts'

type Environment = Reply<'listEnvironments'>['items'][number]
export interface Home {
  readonly environment: Environment
  readonly version: EnvironmentVersion
}

const maxLooked = 100

/** A version is known by its id alone; which world it is of is found by looking through the newest ones. */
const findHome = async (versionId: string, signal: AbortSignal): Promise<Home | null> => {
  const { items } = await call('listEnvironments', { query: { limit: maxLooked }, signal })
  const likely = items.toSorted(
    (a, b) => Number(b.latest_version_id === versionId) - Number(a.latest_version_id === versionId),
  )
  for (const environment of likely) {
    const params = { environmentId: environment.id }
    const versions = await call('listEnvironmentVersions', { params, query: { limit: 200 }, signal })
    const version = versions.items.find(({ id }) => id === versionId)
    if (version) return { environment, version }
  }
  return null
}

/** The world and version that a task starts from; null when it is not among those that are listed. */
export const useHome = (versionId: string | null) =>
  useQuery({
    queryKey: ['home of a version', versionId],
    queryFn: ({ signal }) => (versionId === null ? null : findHome(versionId, signal)),
    staleTime: Number.POSITIVE_INFINITY,
  })
