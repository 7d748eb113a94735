import { type Findings, known, notAfter, unique } from '../kernel/findings.ts'
import type { CheckContext } from '../kernel/manifest.ts'
import type { CrmSection } from './section.ts'

const lists = ['accounts', 'contacts', 'leads', 'opportunities', 'cases'] as const

export const check = (section: CrmSection, { findings, handles, clock }: CheckContext): void => {
  for (const list of lists) {
    unique(
      findings,
      section[list].map(({ key }, n) => ({ name: key, pointer: `/${list}/${n}/key` })),
      'key',
    )
    section[list].forEach(({ owner }, n) =>
      known(findings, { name: owner, pointer: `/${list}/${n}/owner` }, handles, 'identity'),
    )
  }
  checkAccounts(section, findings)
  checkCases(section, findings)
  for (const list of ['opportunities', 'cases'] as const)
    section[list].forEach(({ createdAt }, n) =>
      notAfter(findings, createdAt, clock, `/${list}/${n}/createdAt`),
    )
  section.opportunities.forEach(({ stage, probability }, n) => {
    const closed = stage === 'closed_won' ? 100 : stage === 'closed_lost' ? 0 : undefined
    if (probability !== null && closed !== undefined && probability !== closed)
      findings.warn(`/opportunities/${n}/probability`, `is unusual for ${stage}, which stands at ${closed}`)
  })
}

const checkAccounts = (section: CrmSection, findings: Findings) => {
  const accounts = new Set(section.accounts.map(({ key }) => key))
  for (const list of ['contacts', 'opportunities', 'cases'] as const)
    section[list].forEach(({ account }, n) =>
      known(findings, { name: account, pointer: `/${list}/${n}/account` }, accounts, 'account'),
    )
}

const checkCases = ({ cases, contacts }: CrmSection, findings: Findings) => {
  const byKey = new Map(contacts.map((contact) => [contact.key, contact]))
  cases.forEach(({ account, contact }, n) => {
    const pointer = `/cases/${n}/contact`
    known(findings, { name: contact, pointer }, new Set(byKey.keys()), 'contact')
    const person = contact === null ? undefined : byKey.get(contact)
    if (person && person.account !== account) findings.warn(pointer, 'is a contact of another account')
  })
}
