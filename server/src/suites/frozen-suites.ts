import type { FrozenTask } from '@diorama/contract'
import type { FrozenContent, VersionRow } from './store.ts'
import type { Suites } from './suites.ts'

/** A suite as an evaluation runs it. */
export interface FrozenSuite {
  readonly versionId: string
  readonly name: string
  readonly tasks: readonly FrozenTask[]
}

export interface FrozenSuites {
  /** Freezes the working copy where it changed; undefined for a suite that is archived or does not exist. */
  readonly freeze: (organizationId: string, suiteId: string) => Promise<FrozenSuite | undefined>
  /** All of a version of the working copy, frozen where it changed. */
  readonly contentOf: (organizationId: string, suiteId: string) => Promise<FrozenContent>
  readonly tasksOf: (suiteId: string, versionId: string) => Promise<readonly FrozenTask[] | undefined>
}

/** What evaluations run of suites: versions that no longer change. */
export const createFrozenSuites = (suites: Pick<Suites, 'store' | 'freeze' | 'require'>): FrozenSuites => ({
  freeze: async (organizationId, suiteId) => {
    const suite = await suites.store.find(organizationId, suiteId)
    if (!suite || suite.archived_at) return undefined
    const version = await suites.freeze(suite, { label: null, always: false })
    return { versionId: version.id, name: suite.name, tasks: tasksIn(version) }
  },
  contentOf: async (organizationId, suiteId) => {
    const suite = await suites.require(organizationId, suiteId)
    return (await suites.freeze(suite, { label: null, always: false })).content as FrozenContent
  },
  tasksOf: async (suiteId, versionId) => {
    const version = await suites.store.findVersion(suiteId, versionId)
    return version && tasksIn(version)
  },
})

const tasksIn = ({ content }: VersionRow): readonly FrozenTask[] => (content as FrozenContent).tasks
