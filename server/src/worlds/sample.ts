import { WorldBlueprint } from '@diorama/contract'
import { companyOf } from '@diorama/twin-kit/kernel/company'
import { allTwins } from '@diorama/twins'
import type { TwinModel } from '../twins/registry.ts'
import sample from './sample-company.json' with { type: 'json' }

/** The sample company as it is written: the default data of standalone twins, and a blueprint to start from. */
export const sampleCompany: Record<string, unknown> = sample

/** The product's services, each with its section of the sample company. */
export const sampleModels = (): TwinModel[] => {
  const blueprint = WorldBlueprint.parse(sample)
  const company = companyOf(blueprint)
  const sections: Readonly<Record<string, unknown>> = blueprint.twins
  return allTwins.map((twin) => ({
    twin,
    sample: { section: sections[twin.kind] ?? twin.section.parse(twin.sample), company },
  }))
}
