import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SampleCompany } from '@diorama/contract'
import { isRecord } from '@diorama/contract/records'

type Blueprint = Readonly<Record<string, unknown>>

export interface SampleLibrary {
  list(): Promise<SampleCompany[]>
  read(slug: string): Promise<Blueprint | undefined>
}

const libraryFolder = fileURLToPath(new URL('../../../examples/blueprints', import.meta.url))

/** The sample company, and those that the library ships; where the library is not installed, the sample alone. */
export const createSampleLibrary = (sample: Blueprint, folder = libraryFolder): SampleLibrary => {
  const load = async (): Promise<ReadonlyMap<string, Blueprint>> => {
    const names = await readdir(folder).catch((): string[] => [])
    const found = new Map<string, Blueprint>([['sample', sample]])
    for (const name of names.filter((one) => one.endsWith('.json')).sort())
      found.set(name.slice(0, -'.json'.length), JSON.parse(await readFile(join(folder, name), 'utf8')))
    return found
  }
  let loaded: Promise<ReadonlyMap<string, Blueprint>> | undefined
  const library = () => {
    loaded ??= load()
    return loaded
  }
  return {
    list: async () => [...(await library())].map(([slug, blueprint]) => summaryOf(slug, blueprint)),
    read: async (slug) => (await library()).get(slug),
  }
}

const summaryOf = (slug: string, blueprint: Blueprint): SampleCompany => {
  const { name, summary, identities, twins, scenario } = blueprint
  const tasks = isRecord(scenario) ? scenario['tasks'] : undefined
  return {
    slug,
    name: String(name ?? slug),
    summary: String(summary ?? ''),
    services: isRecord(twins) ? Object.keys(twins) : [],
    people: Array.isArray(identities) ? identities.length : 0,
    tasks: Array.isArray(tasks) ? tasks.length : 0,
  }
}
