import { type Findings, known, notAfter, unique } from '../kernel/findings.ts'
import type { CheckContext } from '../kernel/manifest.ts'
import type { CrmSection } from './section.ts'

const lists = ['accounts', 'contacts', 'leads', 'opportunities', 'cases'] as const

export const check = (section: CrmSection, context: CheckContext): void => {
  const { findings, handles, clock } = context
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
  checkSecurity(section, context)
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

/** Everything that the security model names exists, and nobody has two profiles or roles. */
const checkSecurity = ({ security }: CrmSection, { findings, handles }: CheckContext): void => {
  if (!security) return
  const { profiles, permissionSets, roles, groups, sharingRules } = security
  const keysOf = (list: readonly { readonly key: string }[]) => new Set(list.map(({ key }) => key))
  for (const [name, list] of Object.entries({ profiles, permissionSets, roles, groups })) {
    const at = `/security/${name}`
    unique(
      findings,
      list.map(({ key }, n) => ({ name: key, pointer: `${at}/${n}/key` })),
      'key',
    )
    const people = list.flatMap((one, n) =>
      one.people.map((handle, m) => ({ name: handle, pointer: `${at}/${n}/people/${m}` })),
    )
    for (const person of people) known(findings, person, handles, 'identity')
    if (name === 'profiles' || name === 'roles') unique(findings, people, 'person')
  }
  roles.forEach(({ parent }, n) =>
    known(findings, { name: parent, pointer: `/security/roles/${n}/parent` }, keysOf(roles), 'role'),
  )
  sharingRules.forEach((rule, n) => {
    for (const side of ['ownedBy', 'sharedWith'] as const) {
      const { kind, key } = rule[side]
      const names = keysOf(kind === 'group' ? groups : roles)
      known(findings, { name: key, pointer: `/security/sharingRules/${n}/${side}/key` }, names, kind)
    }
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
