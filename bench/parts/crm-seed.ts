import { compileSeed, type FrozenSeed, freezeSeed } from '@diorama/twin-kit/kernel/seed'
import { testCompany } from '@diorama/twin-kit/testing/host'
import type { CrmSection } from '@diorama/twins/crm/section'
import { crm } from '../../twins/crm/twin.ts'

/** An organization with this many contacts, ten to an account. */
export const crmSeed = (contacts: number): FrozenSeed => {
  const accounts = Math.max(1, Math.floor(contacts / 10))
  const section: CrmSection = {
    accounts: Array.from({ length: accounts }, (_, n) => ({
      key: `a${n}`,
      name: `Account ${n}`,
      accountType: n % 2 === 0 ? 'customer_direct' : 'prospect',
      industry: ['Energy', 'Healthcare', 'Technology'][n % 3] ?? 'Energy',
      description: '',
      annualRevenue: n * 1_000,
      billingCity: null,
      billingState: null,
      numberOfEmployees: n % 5_000,
      owner: n % 4 === 0 ? 'lucia' : null,
      phone: null,
      website: null,
    })),
    contacts: Array.from({ length: contacts }, (_, n) => ({
      key: `c${n}`,
      account: `a${n % accounts}`,
      firstName: `First${n % 97}`,
      lastName: `Last${n}`,
      email: `person${n}@example.com`,
      title: n % 7 === 0 ? 'Buyer' : 'Engineer',
      owner: null,
      phone: null,
    })),
    opportunities: [],
    cases: [],
    leads: [],
  }
  return freezeSeed(crm, compileSeed(crm, section, testCompany).seed)
}
