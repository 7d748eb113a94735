import { kindSpellings } from '@diorama/contract'
import { type CompiledSeed, compileSeed } from '@diorama/twin-kit/kernel/seed'
import type { AnyTwin, Company } from '@diorama/twin-kit/kernel/twin'
import { ApiError } from '../http/api-error.ts'

/** A service that can be copied, and the data that a standalone twin of it starts with. */
export interface TwinModel {
  readonly twin: AnyTwin
  readonly sample: { readonly section: unknown; readonly company: Company }
}

export interface Registry {
  readonly models: readonly TwinModel[]
  readonly find: (service: string) => TwinModel | undefined
  readonly require: (service: string) => TwinModel
  /** The compiled sample data of a service; compiled once. */
  readonly sample: (twinModel: TwinModel) => CompiledSeed
}

export const openRegistry = (models: readonly TwinModel[]): Registry => {
  const byKind = new Map(models.map((model) => [model.twin.kind, model]))
  const samples = new Map<string, CompiledSeed>()
  const find = (service: string): TwinModel | undefined => byKind.get(kindSpellings[service] ?? service)
  return {
    models,
    find,
    require: (service: string): TwinModel => {
      const model = find(service)
      if (model) return model
      const known = [...byKind.keys()].join(', ')
      const message = `is not a service that can be copied; use one of ${known}`
      throw new ApiError('invalid_reference', `/service ${message}.`, {
        details: [{ pointer: '/service', message }],
      })
    },
    sample: ({ twin, sample }: TwinModel): CompiledSeed => {
      const made = samples.get(twin.kind) ?? compileSeed(twin, sample.section, sample.company)
      samples.set(twin.kind, made)
      return made
    },
  }
}
