import { DatasetCompany } from '@diorama/contract'
import type { FoundCompany, DatasetCompany as KernelCompany } from '@diorama/twin-kit/datasets/dataset'
import { shapeDetails } from '../http/parse.ts'
import type { Faults, Place } from './faults.ts'

/** What the request says of the company; it overrides the data. */
export interface SaidCompany {
  readonly organization?: string | undefined
  readonly slug?: string | undefined
  readonly email_domain?: string | undefined
  readonly clock?: string | undefined
  readonly acts_as?: string | undefined
}

/** Puts a company together from what the request, the data and a base version say. */
export interface CompanyBuilder {
  readonly given: (value: unknown, place: Place) => void
  readonly found: (found: FoundCompany) => void
  readonly actsAs: () => string | undefined
  readonly finish: () => DatasetCompany | undefined
}

const minuteMs = 60_000

export const createCompanyBuilder = (
  said: SaidCompany,
  base: DatasetCompany | undefined,
  faults: Faults,
): CompanyBuilder => {
  let written = base
  let found: FoundCompany = {}
  return {
    given: (value, place) => {
      const parsed = DatasetCompany.safeParse(value)
      if (parsed.success) written = parsed.data
      else
        for (const { pointer, message } of shapeDetails(parsed.error, ''))
          faults.add({ ...place, field: `company${pointer}` }, message)
    },
    found: (more) => {
      const latest = Math.max(found.latest ?? 0, more.latest ?? 0)
      found = { ...found, ...more, ...(latest > 0 && { latest }) }
    },
    actsAs: () => said.acts_as ?? written?.actsAs ?? undefined,
    finish: () => {
      const name = said.organization ?? written?.organization.name ?? found.name
      const clock = said.clock ?? written?.clock ?? clockAfter(found.latest)
      if (clock === undefined) faults.add({ file: 'company.json', field: 'clock' }, 'is missing')
      if (name === undefined) faults.add({ file: 'company.json', field: 'organization/name' }, 'is missing')
      if (clock === undefined || name === undefined) return undefined
      const slug = said.slug ?? written?.organization.slug ?? found.slug ?? slugOf(name)
      return {
        organization: {
          description: '',
          industry: '',
          headquarters: null,
          ...written?.organization,
          name,
          slug,
          emailDomain:
            said.email_domain ?? written?.organization.emailDomain ?? found.emailDomain ?? `${slug}.example`,
        },
        clock,
        actsAs: said.acts_as ?? written?.actsAs ?? null,
        people: written && written.people.length > 0 ? written.people : [...(found.people ?? [])],
      }
    },
  }
}

const clockAfter = (latest: number | undefined): string | undefined =>
  latest === undefined ? undefined : new Date(latest + minuteMs).toISOString()

const slugOf = (name: string): string => {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 20)
  return plain.length >= 3 ? plain : 'company'
}

/** The company as twins know it. */
export const kernelCompany = ({ organization, people, clock, actsAs }: DatasetCompany): KernelCompany => ({
  organization,
  people,
  clock: Date.parse(clock),
  actsAs: actsAs ?? undefined,
})
